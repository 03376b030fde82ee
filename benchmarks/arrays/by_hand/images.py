"""Filters of images."""

import jax.numpy as jnp
from jax import lax


def convolution(image, kernel):
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1

    result = jnp.zeros((h, w), image.dtype)
    for i in range(kh):
        for j in range(kw):
            result += kernel[i, j] * image[i : i + h, j : j + w]
    return result


def median(image):
    h, w = image.shape

    def row(i, result):
        def pixel(j, result):
            window = lax.sort(lax.dynamic_slice(image, (i - 1, j - 1), (3, 3)).ravel())
            return result.at[i, j].set(window[4])

        return lax.fori_loop(1, w - 1, pixel, result)

    return lax.fori_loop(1, h - 1, row, image)


def sobel(image):
    h = image.shape[0]

    def row(i, result):
        above, here, below = lax.dynamic_slice_in_dim(image, i - 1, 3, 0)
        smooth = above + 2 * here + below
        gx = smooth[2:] - smooth[:-2]
        change = below - above
        gy = change[2:] + 2 * change[1:-1] + change[:-2]
        return lax.dynamic_update_slice(result, jnp.sqrt(gx * gx + gy * gy)[None], (i, 1))

    return lax.fori_loop(1, h - 1, row, jnp.zeros_like(image))


def equalise(image):
    pixels = image.ravel()

    def count(k, counts):
        level = pixels[k]
        return counts.at[level].set(counts[level] + 1)

    counts = lax.fori_loop(0, len(pixels), count, jnp.zeros(256, jnp.int32))
    cumulative = jnp.cumsum(counts)
    smallest = cumulative[pixels.min()]
    scale = jnp.round((cumulative - smallest) * 255 / (len(pixels) - smallest))
    return scale[image]


def dither(image):
    def pixel(right, old):
        old = old + right
        new = jnp.where(old > 127, 255.0, 0.0)
        return (old - new) * 7 / 16, (new, old - new)

    def row(here, below):
        right, (new, error) = lax.scan(pixel, jnp.zeros((), image.dtype), here[1:-1])
        here = jnp.concatenate([here[:1], new, here[-1:] + right])
        error = jnp.pad(error, 2)
        return below + error[:-2] / 16 + error[1:-1] * 5 / 16 + error[2:] * 3 / 16, here

    last, rows = lax.scan(row, image[0], image[1:])
    return jnp.concatenate([rows, last[None]])
