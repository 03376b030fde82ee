"""Which files of this folder are no tests? Those that run in processes of their own, with several devices."""

collect_ignore = ["sharded.py", "distributed.py", "children.py"]
