"""What does a scene look like that is only known by its distances? Sphere tracing, into a PNG.

Each ray advances by the distance to the nearest surface, until it hits one or leaves; a second march
towards the lamp finds the shadows. The pixels are painted one by one.

Source: Hart, "Sphere tracing", 1996.
"""

import struct
import time
import zlib
from pathlib import Path
from types import ModuleType

import numpy
from show import Array, Case, Runner, converted, floats, present

FAR = 12.0
NEAR = 2e-3


def render(columns: Array, rows: Array, lamp: Array, *, np: ModuleType = numpy) -> Array:
    """The picture, shape (rows, columns, 3), values from 0 to 1."""
    picture = np.zeros((len(rows), len(columns), 3), dtype=np.float32)
    for j, v in enumerate(rows):
        for i, u in enumerate(columns):
            picture[j, i] = shade(u, v, lamp, np=np)
    return picture


def shade(u: Array, v: Array, lamp: Array, *, np: ModuleType = numpy) -> Array:
    """The colour (red, green, blue) seen in the direction (u, v) from the eye."""
    eye = np.array([0, 1.2, -4], dtype=np.float32)
    direction = unit(np.stack([u, v - 0.1, np.ones_like(u)]), np=np)
    distance = march(eye, direction, np=np)
    if distance >= FAR:
        return np.array([0.6, 0.75, 1.0], dtype=np.float32) * (1 - 0.5 * v)
    point = eye + distance * direction
    if point[1] < 2 * NEAR:
        upright = np.array([0, 1, 0], dtype=np.float32)
        if (np.floor(point[0]) + np.floor(point[2])) % 2 == 0:
            colour = np.array([0.9, 0.9, 0.8], dtype=np.float32)
        else:
            colour = np.array([0.2, 0.3, 0.3], dtype=np.float32)
    else:
        upright = slope(point, np=np)
        colour = np.array([0.9, 0.3, 0.2], dtype=np.float32)
    towards = unit(lamp - point, np=np)
    light = max(upright @ towards, 0.0)
    if light > 0:
        light = light * brightness(point + 5 * NEAR * upright, towards, np=np)
    return colour * (0.2 + 0.8 * light)


def march(start: Array, direction: Array, *, np: ModuleType) -> Array:
    """How far a ray goes until it hits something; at least `FAR` if it hits nothing."""
    travelled = 0.0
    while travelled < FAR:
        distance = nearest(start + travelled * direction, np=np)
        if distance < NEAR:
            break
        travelled += distance
    return travelled


def brightness(start: Array, direction: Array, *, np: ModuleType) -> Array:
    """How much of the lamp a point sees: 0 in the shadow, between 0 and 1 at its soft edge."""
    seen = 1.0
    travelled = 0.02
    while travelled < 6:
        distance = nearest(start + travelled * direction, np=np)
        if distance < NEAR / 2:
            return 0.0
        seen = min(seen, 8 * distance / travelled)
        travelled += distance
    return seen


def nearest(point: Array, *, np: ModuleType) -> Array:
    """The distance from a point to the nearest surface: a floor, a ball, and a ring around it."""
    ball = length(point - np.array([0, 1, 0], dtype=np.float32), np=np) - 0.7
    outward = np.sqrt(point[0] ** 2 + point[2] ** 2) - 1.3
    ring = np.sqrt(outward**2 + (point[1] - 1 - 0.3 * point[0]) ** 2) - 0.15
    return min(point[1], ball, 0.8 * ring)


def slope(point: Array, *, np: ModuleType) -> Array:
    """The direction in which the distance grows fastest: at a surface, its normal."""
    x, y, z = 0.01 * np.eye(3, dtype=np.float32)
    differences = [nearest(point + step, np=np) - nearest(point - step, np=np) for step in (x, y, z)]
    return unit(np.stack(differences), np=np)


def length(vector: Array, *, np: ModuleType) -> Array:
    """A vector's length."""
    return np.sqrt(vector @ vector)


def unit(vector: Array, *, np: ModuleType) -> Array:
    """A vector of length 1 in the same direction."""
    return vector / length(vector, np=np)


def screen(width: int, height: int) -> tuple[Array, Array]:
    """Horizontal and vertical positions of the pixels, left to right and top to bottom."""
    columns = numpy.linspace(-0.8, 0.8, width).astype(numpy.float32)
    return columns, numpy.linspace(0.5, -0.5, height).astype(numpy.float32)


def write_png(path: Path, picture: Array) -> None:
    """Writes a picture of shape (rows, columns, 3) with values from 0 to 1 as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = numpy.round(255 * numpy.clip(picture, 0, 1)).astype(numpy.uint8)
    height, width = pixels.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


LAMP = floats(3, 5, -3)


def cases() -> list[Case]:
    """A small picture; the floor, the ball, the ring and the sky."""
    views = [(0.1, -0.4), (0.0, 0.0), (0.28, 0.1), (0.7, 0.4)]
    return [
        Case(render, (*screen(48, 30), LAMP), results=("picture",)),
        *(Case(shade, (*floats(u, v), LAMP)) for u, v in views),
    ]


def check(run: Runner) -> None:
    """Distances that geometry gives: down to the floor, straight to the ball, and nowhere."""
    eye = floats(0, 1, -4)
    for direction, expected in ((0, 0, 1), 4 - 1.3 - 0.15), ((0, -1, 0), 1), ((0, 1, 0), FAR):
        assert abs(min(float(run(march, eye, floats(*direction))), FAR) - expected) < 0.02
    numpy.testing.assert_allclose(run(slope, floats(0, 1.7, 0)), [0, 1, 0], atol=1e-3)


if __name__ == "__main__":
    present("What does the scene look like? A ray marcher, 48 x 30 pixels one by one.", cases()[0])
    file = Path("ray_marcher.png")
    start = time.perf_counter()
    picture = numpy.asarray(converted(render, *screen(640, 400), LAMP))
    duration = time.perf_counter() - start
    write_png(file, picture)
    print(
        f"{file}: 640 x 400 pixels, painted by the converted function in {duration:.2f} s with compilation."
    )
