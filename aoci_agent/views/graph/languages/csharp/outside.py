"""Containers of .NET."""

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common.outside import Containers

OUTSIDE = Containers(
    items=wordset(
        "List IList ICollection IEnumerable IReadOnlyList IReadOnlyCollection IEnumerator HashSet ISet SortedSet"
        " Queue Stack LinkedList ObservableCollection Collection ImmutableList ImmutableArray IQueryable"
        " ConcurrentBag ConcurrentQueue IAsyncEnumerable Span ReadOnlySpan Memory IOrderedEnumerable Func Type"
        " DbSet IReadOnlySet ImmutableHashSet"
    ),
    maps=wordset(
        "Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary SortedDictionary KeyValuePair"
        " ImmutableDictionary SortedList ILookup"
    ),
    through=wordset("Task ValueTask Nullable Lazy ThreadLocal AsyncLocal WeakReference IOptions"),
    gives={
        "item": wordset(
            "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault Dequeue"
            " Pop Peek Max Min MaxBy MinBy Find FindLast Invoke GetValueOrDefault FirstAsync"
            " FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync"
        ),
        "self": wordset(
            "Where OrderBy OrderByDescending ThenBy Skip Take ToList ToArray Distinct Reverse AsEnumerable ToHashSet"
            " Concat Union Except Intersect Append Prepend AsQueryable ToListAsync ToArrayAsync TakeWhile SkipWhile"
            " GetEnumerator DefaultIfEmpty AsReadOnly FindAll Include AsNoTracking"
        ),
    },
    holds={
        "item": ("Value", "Current"),
        "key": ("Key",),
        "all": ("Values",),
        "keys": ("Keys",),
    },
)
