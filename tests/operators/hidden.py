"""A module of a user's whose functions hold lists of their own."""


def counting(fn):
    calls = [0.0]

    def run(*args):
        calls[0] += 1
        return fn(*args)

    run.calls = calls
    return run


@counting
def decorated():
    return 1.0


def with_a_default(calls=[0.0]):  # noqa: B006  what Python's FAQ warns of
    calls[0] += 1
    return 1.0


def with_an_attribute():
    with_an_attribute.calls[0] += 1
    return 1.0


with_a_default.calls = with_a_default.__defaults__[0]
with_an_attribute.calls = [0.0]
