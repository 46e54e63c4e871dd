"""Reads the files of trained models."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Arrays: TypeAlias = "dict[str, NDArray[np.number]]"
"""Arrays by name; what they hold and their shape is the business of each model."""


def read_arrays(name: str, path: Path | None = None) -> Arrays:
    """Return the arrays of the package's model of this *name*, or of the file at *path*."""
    source = path or files("scrapy_boilerplate.core").joinpath(f"models/{name}.npz")
    with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}
