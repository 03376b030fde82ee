"""If-conversion of jaxprs: how do the lanes of a `vmap` go through a conditional, and what is brought out of its branches?"""

__all__ = ["branch_traces", "lane_grouping", "lanewise_cond"]
