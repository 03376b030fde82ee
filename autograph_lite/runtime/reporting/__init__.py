"""Reports: what is shown of a converted function as a page, and in notebooks?"""

__all__ = ["decisions_table", "report"]
