"""Has the file arrived unharmed? CRC-32 and Adler-32 bit by bit, and the bit that was damaged."""

import zlib
from types import ModuleType

import numpy
from show import Array, Case, Runner, present

NOTHING = -1


def crc32(data: Array, *, np: ModuleType = numpy) -> Array:
    """The CRC-32 of bytes (uint8), as in zip files: uint32."""
    polynomial = np.uint32(0xEDB88320)
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc ^= byte
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ polynomial
            else:
                crc >>= 1
    return ~crc


def adler32(data: Array, *, np: ModuleType = numpy) -> Array:
    """The Adler-32 of bytes (uint8), as in zlib streams: uint32."""
    low, high = np.uint32(1), np.uint32(0)
    for byte in data:
        low += byte
        if low >= 65521:
            low -= np.uint32(65521)
        high += low
        if high >= 65521:
            high -= np.uint32(65521)
    return (high << 16) | low


def damaged_bit(data: Array, expected: Array, *, np: ModuleType = numpy) -> Array:
    """The one bit whose flip gives the expected CRC-32; -1 if all are right, -2 if no single one is wrong."""
    if crc32(data, np=np) == expected:
        return np.int32(-1)
    for position in np.arange(8 * len(data), dtype=np.int32):
        flip = np.uint8(1) << (position % 8).astype(np.uint8)
        data[position // 8] ^= flip
        if crc32(data, np=np) == expected:
            return position
        data[position // 8] ^= flip
    return np.int32(-2)


def ones(word: Array, *, np: ModuleType = numpy) -> Array:
    """How many bits of a word (uint32) are set, by Kernighan's loop."""
    count = np.int32(0)
    while word:
        word &= word - 1
        count += 1
    return count


def message(n: int) -> Array:
    """Bytes, uint8."""
    return numpy.random.default_rng(9).integers(0, 256, n).astype(numpy.uint8)


def cases() -> list[Case]:
    """A long message and an empty one; damage in the middle, none, and too much."""
    text = message(24)
    right = numpy.uint32(zlib.crc32(text.tobytes()))
    one, two = text.copy(), text.copy()
    one[13] ^= 32
    two[[3, 17]] ^= 1
    return [
        Case(crc32, (message(20_000),), results=("CRC-32",)),
        Case(crc32, (message(0),)),
        Case(adler32, (message(3000),)),
        *(Case(damaged_bit, (received, right)) for received in (one, text, two)),
        *(Case(ones, (numpy.uint32(word),)) for word in (0, 0xF0F00001, 0xFFFFFFFF)),
    ]


def check(run: Runner) -> None:
    """The standard library agrees, and the bit that was flipped is found."""
    data = message(999)
    assert int(run(crc32, data)) == zlib.crc32(data.tobytes())
    assert int(run(adler32, data)) == zlib.adler32(data.tobytes())
    right = numpy.uint32(zlib.crc32(data[:16].tobytes()))
    damaged = data[:16].copy()
    damaged[11] ^= 4
    assert int(run(damaged_bit, damaged, right)) == 11 * 8 + 2
    assert int(run(ones, right)) == int(right).bit_count()


if __name__ == "__main__":
    present("Has the file arrived unharmed? CRC-32 of 20,000 bytes, bit by bit.", cases()[0])
