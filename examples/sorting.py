"""How does one sort in place? Heap sort and Shell sort, with swaps; and a search in what they sorted."""

from types import ModuleType

import numpy
from show import Array, Case, Runner, present

import autograph_lite


def heap_sort(values: Array, *, np: ModuleType = numpy) -> Array:
    """The values in ascending order."""
    n = len(values)
    for root in autograph_lite.range(n // 2 - 1, -1, -1):
        values = sift_down(values, root, n)
    for end in autograph_lite.range(n - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        values = sift_down(values, 0, end)
    return values


def sift_down(heap: Array, root: Array, end: Array) -> Array:
    """Lets the value at `root` sink until both of its children below `end` are smaller."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and heap[child] < heap[child + 1]:
            child += 1
        if heap[root] >= heap[child]:
            return heap
        heap[root], heap[child] = heap[child], heap[root]
        root = child
    return heap


def shell_sort(values: Array, *, np: ModuleType = numpy) -> Array:
    """The values in ascending order, by insertion over gaps of 3 * gap + 1."""
    gap = np.int32(1)
    while 3 * gap + 1 < len(values):
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(values)):
            inserted = values[i]
            j = i
            while j >= gap and values[j - gap] > inserted:
                values[j] = values[j - gap]
                j -= gap
            values[j] = inserted
        gap //= 3
    return values


def find(ascending: Array, wanted: Array, *, np: ModuleType = numpy) -> Array:
    """Where `wanted` stands, by halving; -1 where it is missing."""
    low, high = np.int32(0), np.int32(len(ascending))
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] == wanted:
            return middle
        if ascending[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return np.int32(-1)


def shuffled(n: int) -> Array:
    """Numbers with repetitions, float32."""
    return numpy.random.default_rng(7).integers(-n, n, n).astype(numpy.float32)


def cases() -> list[Case]:
    """Many values, few, one; integers; a number that is there and one that is not."""
    ladder = numpy.arange(0, 40, 3, dtype=numpy.int32)
    return [
        Case(heap_sort, (shuffled(2000),), results=("sorted",)),
        Case(heap_sort, (shuffled(5),)),
        Case(heap_sort, (shuffled(1),)),
        Case(shell_sort, (shuffled(300),)),
        Case(shell_sort, (shuffled(2).astype(numpy.int32),)),
        Case(find, (ladder, numpy.int32(27))),
        Case(find, (ladder, numpy.int32(28))),
    ]


def check(run: Runner) -> None:
    """Python's own `sorted` and `index` agree."""
    values = shuffled(77)
    assert [float(x) for x in run(heap_sort, values)] == sorted(values.tolist())
    assert [float(x) for x in run(shell_sort, values)] == sorted(values.tolist())
    unique = sorted(set(values.tolist()))
    assert int(run(find, numpy.array(unique, numpy.float32), numpy.float32(unique[31]))) == 31


if __name__ == "__main__":
    present("How does one sort in place? Heap sort of 2000 values.", cases()[0])
