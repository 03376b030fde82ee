"""Users' code: whose is a function, is it converted, where does it stand, and under which form?"""

__all__ = ["conversion", "ownership", "place_names", "pure_callables", "source_places", "unconverted"]
