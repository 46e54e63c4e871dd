"""The optional compiled parts; all else about the package stands in setup.cfg.

Without a compiler the package installs and works all the same, in pure Python.
"""

import os
import sys
from pathlib import Path

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class OptionalBuildExt(build_ext):
    """Compiles side by side, and goes on without a part that cannot be compiled."""

    def finalize_options(self) -> None:
        """Use every processor unless ``--parallel`` says otherwise."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        """Compile *ext*; `Extension.optional` alone forgives some errors of compilers only."""
        try:
            super().build_extension(ext)
        except Exception as error:
            if not ext.optional:
                raise
            self.warn(f"{ext.name} is not compiled, its twin in Python is used: {error}")
            # An editable install copies all that are listed.
            self.extensions = [other for other in self.extensions if other is not ext]


CHECKED = bool(os.environ.get("BOILERPLATE_CHECKED"))
"""Whether to compile for tests, as `.ci/sanitize` does: each access to memory is checked."""

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiler_options() -> list[str]:
    """Return what the C compiler is told."""
    if CHECKED:
        return ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS]
    if sys.platform == "win32":
        return []
    # No fused operations: they round otherwise than the twins in Python.
    return ["-O3", "-ffp-contract=off"]


DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": True,
}


def native(source: Path) -> Extension:
    """Return the extension module of a ``.pyx`` file, which stands beside its twin."""
    return Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        include_dirs=lxml.get_include(),
        extra_compile_args=compiler_options(),
        extra_link_args=SANITIZERS if CHECKED else [],
        optional=not CHECKED,
    )


SOURCES = sorted(Path("scrapy_boilerplate").rglob("*_native.pyx"))

setup(
    ext_modules=cythonize(
        [*map(native, SOURCES)],
        nthreads=os.cpu_count() or 1,
        compiler_directives=DIRECTIVES,
    ),
    cmdclass={"build_ext": OptionalBuildExt},
)
