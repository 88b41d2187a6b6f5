"""Containers of Rust's standard library. What merely owns or guards a value is as good as the value."""

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common.outside import Containers

OUTSIDE = Containers(
    items=wordset(
        "Vec Option Result VecDeque HashSet BTreeSet LinkedList BinaryHeap Iterator IntoIterator Iter Peekable"
        " DoubleEndedIterator ExactSizeIterator OnceCell OnceLock LazyLock Once Receiver SmallVec IndexSet"
    ),
    maps=wordset("HashMap BTreeMap IndexMap"),
    through=wordset(
        "Box Rc Arc Cow Ref RefMut RefCell Cell Mutex RwLock MutexGuard RwLockReadGuard RwLockWriteGuard Pin"
        " ManuallyDrop Weak Reverse Lazy UnsafeCell"
    ),
    gives={
        "some": wordset(
            "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked next next_back last nth pop"
            " pop_front pop_back first get get_mut first_mut last_mut remove swap_remove front back min max"
            " get_or_insert get_or_insert_with get_or_init insert recv try_recv peek peek_mut"
        ),
        "self": wordset(
            "iter iter_mut into_iter filter rev skip take cloned copied clone as_ref as_mut as_deref as_deref_mut"
            " chain cycle step_by peekable by_ref skip_while take_while inspect drain ok ok_or ok_or_else map_err"
            " or or_else to_vec to_owned as_slice as_mut_slice fuse collect sorted dedup windows chunks"
        ),
        "all": wordset("values values_mut into_values"),
        "keys": wordset("keys into_keys"),
        "numbered": wordset("enumerate"),
    },
)
