"""The optional compiled parts; all else about the package stands in setup.cfg.

Without a compiler the package installs and works all the same, in pure Python.
"""

import sys

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup

setup(
    ext_modules=cythonize(
        [
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
    )
)
