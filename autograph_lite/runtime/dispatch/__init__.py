"""Dispatch: how does a call find its program, in C++, where its types were seen before?"""

__all__ = ["cpp_dispatch"]
