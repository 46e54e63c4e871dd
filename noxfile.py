"""The checks of this project: ``nox -l`` lists them, ``nox -s lint types`` runs two.

They run in the environment that nox is installed in, beside the package, since each environment
more would compile it once more; what a check needs besides is installed there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import nox
from packaging.requirements import Requirement

PACKAGE = "scrapy-boilerplate-removal"
OLDEST = Path("build/oldest")

nox.options.default_venv_backend = "none"
nox.options.sessions = ["tests", "lint", "types", "docs", "gate"]


def needed(extra: str) -> list[str]:
    """Return what an extra of the package needs, without the package itself."""
    found = []
    for each in map(Requirement, requires(PACKAGE) or ()):
        if each.marker and not each.marker.evaluate() and each.marker.evaluate({"extra": extra}):
            if each.name == PACKAGE:
                found += [package for name in each.extras for package in needed(name)]
            else:
                extras = f"[{','.join(sorted(each.extras))}]" if each.extras else ""
                found.append(f"{each.name}{extras}{each.specifier}")
    return found


def install(session: nox.Session, *extras: str) -> None:
    """Install what *extras* need."""
    packages = sorted({package for extra in extras for package in needed(extra)})
    session.run(sys.executable, "-m", "pip", "install", "--quiet", *packages)


def python(session: nox.Session, *arguments: str, **more: str) -> None:
    """Run Python, with *more* in the environment."""
    session.run(sys.executable, *arguments, env=more)


def suite(session: nox.Session, *arguments: str) -> None:
    """Run tests, file by file on all processors."""
    python(session, "-m", "pytest", "-n", "auto", "--dist", "loadfile", *arguments)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but for the slow ones; ``-- tests/test_x.py`` runs some."""
    install(session, "test")
    suite(session, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, format, and the order of the parts."""
    install(session, "lint")
    python(session, "-m", "ruff", "check", ".")
    python(session, "-m", "ruff", "format", "--check", ".")
    session.run(str(Path(sys.executable).with_name("lint-imports")))


@nox.session
def types(session: nox.Session) -> None:
    """Check types, of tests too."""
    install(session, "lint", "test")
    python(session, "-m", "mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Check the English of the documentation, and build it."""
    install(session, "docs")
    pages = ["README.md", "CHANGELOG.md", *map(str, sorted(Path("docs").glob("*.md")))]
    prose = str(Path(sys.executable).with_name("proselint"))
    session.run(prose, "check", "--config", "docs/proselint.json", *pages)
    python(session, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", "build/docs")


@nox.session
def gate(session: nox.Session) -> None:
    """Compare quality with its floors, growth and (by valgrind) instructions with their bounds."""
    python(session, "-m", "benchmarks.gate")
    python(session, "-m", "benchmarks.limits")
    python(session, "-m", "benchmarks.instructions")


@nox.session
def slow(session: nox.Session) -> None:
    """Run the slow tests; those of Spark, Redis and browsers where these are installed."""
    install(session, "test", "test-scale")
    suite(session, "-m", "slow", "--dist", "loadgroup", *session.posargs)


@nox.session
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest versions that are allowed, on Python 3.10 or 3.11."""
    names = ("python3.11", "python3.10", sys.executable)
    found = [name for name in names if is_for_oldest(name)]
    if not found:
        session.skip("no Python 3.10 or 3.11, for which the oldest numpy has wheels")
    copy_files(session, OLDEST)  # whose compiled parts are not those of the source tree
    session.run(found[0], "-m", "venv", f"{OLDEST}/.venv", silent=True)
    with session.chdir(OLDEST):
        constraints = ["-c", "tests/constraints-oldest.txt"]
        session.run(".venv/bin/pip", "install", "--quiet", *constraints, "-e", ".[test]")
        session.run(".venv/bin/python", "-m", "pytest", "-n", "auto", "--dist", "loadfile")


def is_for_oldest(python: str) -> bool:
    """Return whether a Python runs here, and has wheels of the oldest numpy."""
    code = "import sys; sys.exit(sys.version_info[:2] not in {(3, 10), (3, 11)})"
    try:
        return subprocess.run([python, "-c", code], capture_output=True).returncode == 0
    except OSError:
        return False


def copy_files(session: nox.Session, folder: Path) -> None:
    """Copy the files that git knows, or would know, to *folder*."""
    listed = session.run(
        "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", silent=True
    )
    for name in str(listed).split("\0"):
        if name and Path(name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, folder / name)


@nox.session
def sanitize(session: nox.Session) -> None:
    """Test and fuzz the compiled parts under sanitizers; ``-- MINUTES SEED`` says how long."""
    session.run(".ci/sanitize", *(session.posargs or ["1"]), env={"PYTHON": sys.executable})


@nox.session
def packages(session: nox.Session) -> None:
    """Build the packages, and try them without a compiler."""
    session.run(".ci/packages", env={"PYTHON": sys.executable})
