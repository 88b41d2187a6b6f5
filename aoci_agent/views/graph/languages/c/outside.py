"""Containers of the C++ standard library; pointers that own are as good as what they point to."""

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common.outside import Containers

OUTSIDE = Containers(
    items=wordset(
        "vector list deque set unordered_set multiset array stack queue priority_queue initializer_list span"
        " forward_list valarray future promise"
    ),
    maps=wordset("map unordered_map multimap unordered_multimap"),
    through=wordset("unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic"),
    gives={"item": wordset("front back at top begin end find rbegin cbegin data get")},
)
