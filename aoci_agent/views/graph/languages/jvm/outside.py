"""Containers of the JVM's standard libraries."""

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common.outside import Containers

OUTSIDE = Containers(
    items=wordset(
        "List Set Collection Iterable Iterator ArrayList LinkedList HashSet LinkedHashSet TreeSet Queue Deque"
        " ArrayDeque PriorityQueue Stack Vector Optional Stream ListIterator SortedSet NavigableSet EnumSet"
        " CopyOnWriteArrayList ConcurrentLinkedQueue BlockingQueue Supplier Callable Future CompletableFuture"
        " AtomicReference ThreadLocal WeakReference SoftReference Reference Class Provider Lazy Seq Option"
        " ImmutableList ImmutableSet Enumeration MutableList MutableSet Sequence IndexedSeq Try"
    ),
    maps=wordset(
        "Map HashMap LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap EnumMap"
        " WeakHashMap IdentityHashMap Entry ImmutableMap MutableMap"
    ),
    gives={
        "item": wordset(
            "get next getFirst getLast first last remove removeFirst removeLast poll pollFirst pollLast peek"
            " peekFirst peekLast pop element orElse orElseThrow orElseGet call join getNow previous newInstance"
            " take findFirst findAny getValue getOrDefault computeIfAbsent putIfAbsent put head getOrElse cast"
            " nextElement"
        ),
        "key": wordset("getKey"),
        "keys": wordset("keySet"),
        "all": wordset("iterator values listIterator elements descendingIterator"),
        "self": wordset(
            "stream filter sorted distinct limit skip reversed subList headSet tailSet clone"
        ),
    },
)
