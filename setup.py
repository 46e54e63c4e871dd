"""The optional compiled parts; all else about the package stands in setup.cfg.

Without a compiler the package installs and works all the same, in pure Python.
"""

import sys

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class OptionalBuildExt(build_ext):
    """Goes on without a part that cannot be compiled, whatever the reason."""

    def build_extension(self, ext: Extension) -> None:
        """Compile *ext*; `Extension.optional` alone forgives some errors of compilers only."""
        try:
            super().build_extension(ext)
        except Exception as error:
            self.warn(f"{ext.name} is not compiled, its twin in Python is used: {error}")
            # An editable install copies all that are listed.
            self.extensions = [other for other in self.extensions if other is not ext]


FAST = [] if sys.platform == "win32" else ["-O3"]


def compiled(name: str) -> Extension:
    """Return what is compiled of ``scrapy_boilerplate/_<name>_native.pyx``."""
    module = f"_{name}_native"
    return Extension(
        f"scrapy_boilerplate.{module}",
        [f"scrapy_boilerplate/{module}.pyx"],
        include_dirs=lxml.get_include(),
        extra_compile_args=FAST,
        optional=True,
    )


PARTS = "walk text layout xpaths elements web2text declared copies features forest".split()

setup(ext_modules=cythonize([*map(compiled, PARTS)]), cmdclass={"build_ext": OptionalBuildExt})
