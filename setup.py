"""The compiled parts of the core; all else about the package stands in pyproject.toml."""

import os
import sys
from pathlib import Path

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

NO_COMPILER = """scrapy_boilerplate reads pages by compiled code and could not compile it. Install
a wheel of it (pip install --only-binary :all: scrapy-boilerplate-removal), or a C compiler and the
headers of Python: apt install gcc python3-dev, xcode-select --install, or the Build Tools for
Visual Studio."""


class ParallelBuildExt(build_ext):
    """Compiles side by side, and says what to do where there is no compiler."""

    def finalize_options(self) -> None:
        """Use every processor unless ``--parallel`` says otherwise."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        """Compile *ext*."""
        try:
            super().build_extension(ext)
        except Exception as error:
            raise CompileError(f"{error}\n\n{NO_COMPILER}") from error


MEMORYVIEWS = "scrapy_boilerplate.core._memoryviews"
"""What Cython needs for memoryviews, compiled once: a copy in each part takes most of the time."""

CHECKED = bool(os.environ.get("BOILERPLATE_CHECKED"))
"""Whether to compile for tests, as `.ci/sanitize` does: each access to memory is checked."""

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiler_options() -> list[str]:
    """Return what the C compiler is told."""
    if CHECKED:
        return ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS]
    if sys.platform == "win32":
        return []
    # No fused operations: they round differently on each processor. Without symbols gcc is a
    # fifth faster.
    return ["-O3", "-g0", "-ffp-contract=off"]


DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": True,
    "freethreading_compatible": True,
}


def extension(name: str, source: str) -> Extension:
    """Return an extension module."""
    return Extension(
        name,
        [source],
        include_dirs=lxml.get_include(),
        extra_compile_args=compiler_options(),
        extra_link_args=SANITIZERS if CHECKED else [],
    )


def native(source: Path) -> Extension:
    """Return the extension module of a ``.pyx`` file."""
    return extension(".".join(source.with_suffix("").parts), source.as_posix())


SOURCES = sorted(Path("scrapy_boilerplate").rglob("*_native.pyx"))

setup(
    ext_modules=cythonize(
        [extension(MEMORYVIEWS, MEMORYVIEWS.replace(".", "/") + ".c"), *map(native, SOURCES)],
        nthreads=os.cpu_count() or 1,
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=MEMORYVIEWS,
    ),
    cmdclass={"build_ext": ParallelBuildExt},
)
