"""The same programs as in `loops`, as somebody who knows `lax` writes them: the same algorithm, as fast as we can make it."""
