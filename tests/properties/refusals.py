"""Which refusals does the contract name, and in which words?

A random program may be refused for one of these reasons only.
"""

from __future__ import annotations

NAMED: dict[str, str] = {
    "UndefinedVariableError": "a variable assigned on one path only, used where it may be missing",
    "BranchMismatchError": "structure and static Python values: equal on all paths, or an error",
    "CarryMismatchError": "a loop's variables keep their structure and shape",
    "HandledRaiseError": "an `except` that would have to catch a staged raise is an error that says so",
    "MutationError": "a mutation that can't be followed: an error at the line that mutates",
    "TracedIndexError": "a traced value as a list index or a dict key where no array meaning exists",
    "IterationError": "what cannot be walked over in a staged loop",
    "PythonOnlyError": "a traced value where only a Python value has a meaning",
    "TracedRecursionError": "recursion on a traced value: an error that names the cycle",
}
