"""How far is it from each town to each other? Floyd and Warshall's algorithm, with the routes.

Roads may have negative lengths; a cycle of negative length has no shortest path and ends the search.

Source: Floyd, "Algorithm 97: shortest path", 1962.
"""

import heapq
import itertools
from types import ModuleType

import numpy
from show import Array, Case, Runner, present

import autograph_lite

RESULTS = ("distances", "next town", "possible")


def shortest_paths(roads: Array, *, np: ModuleType = numpy) -> tuple[Array, Array, Array]:
    """Distances between all towns, the first town on the way, and False if there is a negative cycle.

    Args:
      roads: lengths from town (row) to town (column), shape (n, n), inf where there is no road.
      np: the array library.
    """
    n = len(roads)
    towns = np.arange(n, dtype=np.int32)
    distances = np.where(np.eye(n, dtype=bool), np.minimum(roads, 0), roads)
    onward = np.where(distances < np.inf, towns, -1)
    for via in autograph_lite.range(n):
        for town in autograph_lite.range(n):
            if distances[town, via] == np.inf:
                continue
            through = distances[town, via] + distances[via]
            shorter = through < distances[town]
            onward[town] = np.where(shorter, onward[town, via], onward[town])
            distances[town] = np.where(shorter, through, distances[town])
            if distances[town, town] < 0:
                return distances, onward, False
    return distances, onward, True


def route(onward: Array, start: Array, end: Array, *, np: ModuleType = numpy) -> tuple[Array, Array]:
    """The towns from `start` to `end`, padded with -1, and how many they are: 0 where there is no way."""
    towns = np.full(len(onward), -1, dtype=np.int32)
    if onward[start, end] < 0:
        return towns, 0
    towns[0] = start
    count = 1
    town = start
    while town != end:
        town = onward[town, end]
        towns[count] = town
        count += 1
    return towns, count


def country(n: int, roads_per_town: int) -> Array:
    """A random map: the lengths of one-way roads."""
    rng = numpy.random.default_rng(2)
    lengths = rng.integers(1, 100, (n, n)).astype(numpy.float32)
    return numpy.where(rng.random((n, n)) < roads_per_town / n, lengths, numpy.float32(numpy.inf))


def cases() -> list[Case]:
    """A map, a small one where not all towns are connected, and one with a negative cycle; two routes."""
    small = country(6, 1)
    cycle = country(12, 3)
    cycle[3, 7], cycle[7, 3] = 5, -9
    onward = numpy.array([[0, 1, 1, -1], [-1, 1, 2, -1], [-1, -1, 2, -1], [0, 0, 0, 3]], numpy.int32)
    return [
        Case(shortest_paths, (country(100, 5),), results=RESULTS),
        Case(shortest_paths, (small,), results=RESULTS),
        Case(shortest_paths, (cycle,), results=RESULTS),
        Case(route, (onward, numpy.int32(3), numpy.int32(2)), results=("towns", "count")),
        Case(route, (onward, numpy.int32(1), numpy.int32(3)), results=("towns", "count")),
    ]


def check(run: Runner) -> None:
    """Dijkstra's algorithm finds the same distances, and the routes have the lengths that they claim."""
    roads = country(20, 3)
    distances, onward, possible = run(shortest_paths, roads)
    assert possible
    numpy.testing.assert_array_equal(distances, [_dijkstra(roads, town) for town in range(20)])

    start, end = 0, int(numpy.argmax(numpy.where(numpy.isfinite(distances[0]), distances[0], -1)))
    towns, count = run(route, numpy.asarray(onward), numpy.int32(start), numpy.int32(end))
    way = [int(town) for town in towns[: int(count)]]
    assert (way[0], way[-1]) == (start, end)
    assert sum(roads[a, b] for a, b in itertools.pairwise(way)) == distances[start, end]


def _dijkstra(roads: Array, start: int) -> Array:
    distances = numpy.full(len(roads), numpy.inf)
    waiting = [(0.0, start)]
    while waiting:
        distance, town = heapq.heappop(waiting)
        if distance < distances[town]:
            distances[town] = distance
            for other in numpy.flatnonzero(numpy.isfinite(roads[town])):
                heapq.heappush(waiting, (distance + float(roads[town, other]), int(other)))
    return distances


if __name__ == "__main__":
    present("How far is it between each two of 100 towns? Floyd and Warshall's algorithm.", cases()[0])
