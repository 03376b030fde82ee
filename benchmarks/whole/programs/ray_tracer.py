"""Spheres over a floor, traced ray by ray, with shadows and mirrors."""

from dataclasses import dataclass

import numpy as np

FAR = 1e6


@dataclass
class Sphere:
    centre: np.ndarray
    radius: float
    colour: np.ndarray
    mirror: float


@dataclass
class Hit:
    distance: float
    point: np.ndarray
    normal: np.ndarray
    colour: np.ndarray
    mirror: float


def normalise(v):
    return v / np.linalg.norm(v)


def intersect_sphere(sphere, origin, direction):
    """The distance to the sphere; FAR where the ray misses it."""
    oc = origin - sphere.centre
    b = np.dot(oc, direction)
    c = np.dot(oc, oc) - sphere.radius**2
    disc = b * b - c
    if disc < 0:
        return FAR
    root = np.sqrt(disc)
    if -b - root > 1e-4:
        return -b - root
    if -b + root > 1e-4:
        return -b + root
    return FAR


def intersect_floor(origin, direction):
    if direction[1] > -1e-6:
        return FAR
    return -origin[1] / direction[1]


def trace(spheres, origin, direction):
    """What the ray meets first; None where it goes into the sky."""
    nearest = FAR
    found = None
    for sphere in spheres:
        d = intersect_sphere(sphere, origin, direction)
        if d < nearest:
            nearest = d
            point = origin + d * direction
            found = Hit(d, point, (point - sphere.centre) / sphere.radius, sphere.colour, sphere.mirror)
    d = intersect_floor(origin, direction)
    if d < nearest:
        point = origin + d * direction
        dark = (np.floor(point[0]) + np.floor(point[2])) % 2 == 0
        colour = np.array([0.2, 0.2, 0.2]) if dark else np.array([0.9, 0.9, 0.9])
        found = Hit(d, point, np.array([0.0, 1.0, 0.0]), colour, 0.1)
    return found


def in_shadow(spheres, point, light):
    to_light = light - point
    distance = np.linalg.norm(to_light)
    direction = to_light / distance
    for sphere in spheres:
        if intersect_sphere(sphere, point, direction) < distance:
            return True
    return False


def shade(spheres, hit, light):
    ambient = 0.1 * hit.colour
    if in_shadow(spheres, hit.point + 1e-3 * hit.normal, light):
        return ambient
    strength = np.dot(hit.normal, normalise(light - hit.point))
    return ambient + 0.9 * max(strength, 0.0) * hit.colour


def sky(direction):
    t = 0.5 * (direction[1] + 1)
    return (1 - t) * np.ones(3) + t * np.array([0.5, 0.7, 1.0])


def ray_colour(spheres, origin, direction, light, depth):
    colour = np.zeros(3)
    weight = 1.0
    for _ in range(depth):
        hit = trace(spheres, origin, direction)
        if hit is None:
            colour += weight * sky(direction)
            break
        colour += weight * (1 - hit.mirror) * shade(spheres, hit, light)
        weight *= hit.mirror
        if weight < 0.01:
            break
        origin = hit.point + 1e-3 * hit.normal
        direction = direction - 2 * np.dot(direction, hit.normal) * hit.normal
    return colour


def ray_tracer(centres, radii, colours, mirrors, light, width=24, height=16, depth=3):
    """The image, gamma corrected, and its mean brightness."""
    spheres = [Sphere(*fields) for fields in zip(centres, radii, colours, mirrors)]
    eye = np.array([0.0, 1.1, -3.0])  # no ray meets the floor where its colour changes
    image = np.zeros((height, width, 3))
    for y in range(height):
        for x in range(width):
            u = (x + 0.5 - width / 2) / height
            v = (height / 2 - y - 0.5) / height
            direction = normalise(np.array([u, v, 1.0]))
            image[y, x] = ray_colour(spheres, eye, direction, light, depth)
    image = np.clip(image, 0, 1) ** (1 / 2.2)
    return image, image.mean()
