"""The optional compiled walk; all else about the package stands in setup.cfg.

Without a compiler the package installs and works all the same, in pure Python.
"""

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
            )
        ]
    )
)
