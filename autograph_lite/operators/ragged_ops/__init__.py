"""Operations on selections: what do sums, products, medians and calls of libraries give where only a part counts?"""

__all__ = ["library_functions", "masked_reductions", "order_statistics"]
