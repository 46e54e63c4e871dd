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


EXTENSIONS = [
    Extension(
        "scrapy_boilerplate._walk_native",
        ["scrapy_boilerplate/_walk_native.pyx"],
        include_dirs=lxml.get_include(),
        optional=True,
    ),
    Extension(
        "scrapy_boilerplate._forest_native",
        ["scrapy_boilerplate/_forest_native.pyx"],
        extra_compile_args=[] if sys.platform == "win32" else ["-O3"],
        optional=True,
    ),
]

setup(ext_modules=cythonize(EXTENSIONS), cmdclass={"build_ext": OptionalBuildExt})
