"""Values: how is what users' variables hold taken apart into arrays, and put together again?"""

__all__ = ["boxes", "dataclass_objects", "instances", "one_of", "place", "pytrees", "retracing", "values"]
