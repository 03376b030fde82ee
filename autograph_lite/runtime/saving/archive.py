"""What is in a saved file? A zip of a manifest in JSON, programs in StableHLO and arrays in NumPy's format, with checksums.

    manifest.json            what the other parts are, with the SHA-256 of each
    manifest.sha256          that of the manifest
    programs/0.stablehlo     as `jax.export` writes them
    arrays/0.npy             as `numpy.save` writes them, without pickles

Reading one runs nothing of it, and unpickles nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import LoadError

FORMAT = 1  # of the manifest; a reader takes this number and lower ones
MANIFEST, CHECKSUM = "manifest.json", "manifest.sha256"
SINGLE = "function"  # the name, in the manifest, of a function that is saved alone
_IMPLS = ("threefry2x32", "rbg", "unsafe_rbg")  # of JAX's random keys


class Writer:
    """Collects the parts of a file."""

    def __init__(self, parts: Mapping[str, bytes] | None = None) -> None:
        self._parts = dict(parts or {})

    @classmethod
    def of(cls, reader: Reader) -> Writer:
        """One that has the parts of a file already."""
        return cls({name: reader.part(name) for name in reader.manifest["parts"]})

    def copy(self) -> Writer:
        """Another with the same parts."""
        return Writer(self._parts)

    def program(self, content: bytes) -> str:
        """Adds a program; returns its name."""
        return self.part("programs", "stablehlo", content)

    def array(self, value: Any) -> dict[str, Any]:
        """Adds an array; returns what the manifest is to say of it."""
        dtype = str(value.dtype)
        is_key = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
        plain = np.asarray(jax.random.key_data(value) if is_key else value)
        if not is_key and plain.dtype.kind == "V":  # bfloat16 and the like, which NumPy's files don't know
            plain = plain.view(f"u{plain.dtype.itemsize}")
        buffer = io.BytesIO()
        np.save(buffer, plain, allow_pickle=False)
        return {"file": self.part("arrays", "npy", buffer.getvalue()), "dtype": dtype}

    def part(self, folder: str, kind: str, content: bytes) -> str:
        """Adds a part; returns its name."""
        name = f"{folder}/{len(self._parts)}.{kind}"
        self._parts[name] = content
        return name

    def write(self, path: str | os.PathLike[str], manifest: dict[str, Any]) -> None:
        """Writes the file; what was there before stays until it is complete."""
        told = {name: {"sha256": _digest(part), "size": len(part)} for name, part in self._parts.items()}
        text = json.dumps({"format": FORMAT, **manifest, "parts": told}, indent=1, allow_nan=False).encode()
        target = Path(path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(MANIFEST, text)
                archive.writestr(CHECKSUM, _digest(text))
                for part, content in self._parts.items():
                    archive.writestr(part, content)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


class Reader:
    """The parts of a file, each checked.

    Raises:
      LoadError: it is no such file, is damaged, or was written by a newer version.
      OSError: it can't be opened.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = str(path)
        with Path(path).open("rb") as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    self._parts = {info.filename: _stored(archive, info) for info in archive.infolist()}
                text, checksum = self._parts[MANIFEST], self._parts[CHECKSUM].decode()
            except Exception as error:  # `zipfile` raises what the bytes make it raise
                raise self.damaged("it is no complete archive of autograph_lite.save") from error
        if _digest(text) != checksum:
            raise self.damaged(f"the checksum of {MANIFEST} is wrong")
        try:
            self.manifest: dict[str, Any] = json.loads(text)
            self._check()
        except LoadError:
            raise
        except Exception as error:  # its checksum is right, and it says something else than `Writer` does
            raise self.damaged(f"{MANIFEST} is not as it should be") from error

    def _check(self) -> None:
        version = self.manifest["format"]
        if not isinstance(version, int) or version > FORMAT:
            by = self.manifest.get("made_with", {}).get("autograph-lite", "?")
            raise LoadError(
                f"'{self.path}' has format {version}, and this version of autograph_lite reads up to {FORMAT}.",
                why=f"It was written by autograph_lite {by}.",
                fix="install that version, or a later one.",
            )
        for name, told in self.manifest["parts"].items():
            part = self._parts.get(name)
            if part is None:
                raise self.damaged(f"{name} is missing")
            if len(part) != told["size"] or _digest(part) != told["sha256"]:
                raise self.damaged(f"the checksum of {name} is wrong")

    def damaged(self, why: str) -> LoadError:
        """The error for a file that is not what was written."""
        return LoadError(
            f"'{self.path}' can't be loaded: {why}.",
            why="Each part of a file has a checksum, so that a damaged one is not taken for the program.",
            fix="copy the file again, or save the function again.",
        )

    def part(self, name: str) -> bytes:
        """The content of a part that the manifest lists."""
        if name not in self.manifest["parts"]:
            raise KeyError(name)
        return self._parts[name]

    def array(self, told: dict[str, Any]) -> Any:
        """The array of a part."""
        plain = np.load(io.BytesIO(self.part(told["file"])), allow_pickle=False)
        dtype = dtype_named(told["dtype"])
        if jnp.issubdtype(dtype, jax.dtypes.prng_key):
            impl = next(impl for impl in _IMPLS if jax.random.key(0, impl=impl).dtype == dtype)
            return jax.random.wrap_key_data(plain, impl=impl)
        return plain if plain.dtype == dtype else plain.view(dtype)


def dtype_named(name: str) -> Any:
    """The dtype of a name, those of JAX's own among them."""
    if name.startswith("key<"):
        kinds = [jax.random.key(0, impl=impl).dtype for impl in _IMPLS]
        return next(kind for kind in kinds if str(kind) == name)
    return jnp.dtype(name)


def _stored(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type != zipfile.ZIP_STORED:  # so that a small file can't become a large one
        raise ValueError(info.filename)
    return archive.read(info)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
