"""The context of a trace: which options, loop bodies, decisions and lanes hold where the code runs now?"""

__all__ = ["branch_options", "decision_log", "lane_termination", "loop_options", "path_facts", "update_order"]
