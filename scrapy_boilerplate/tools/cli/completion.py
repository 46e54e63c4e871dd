"""Scripts by which shells complete the command line."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from typing import Any

from scrapy_boilerplate.core.methods import extractor_names

_PATHS = frozenset(("SOURCE", "PAGE", "FILE", "FOLDER", "PATH", "STORE"))


class PrintCompletion(Action):
    """Prints the script for a shell, and ends."""

    def __call__(
        self, parser: ArgumentParser, args: Namespace, shell: Any, option: str | None = None
    ) -> None:
        """Print the script; without the package that writes it, say what to install."""
        try:
            import shtab
        except ImportError:
            what = "pip install 'scrapy-boilerplate-removal[completion]'"
            parser.error(f"{option} needs the package shtab: {what}")
        parsers = [parser]
        for each in parsers:  # which grows by the commands' own
            for action in each._actions:
                if "--extractor" in action.option_strings:
                    action.choices = extractor_names()
                elif action.metavar in _PATHS:
                    action.complete = shtab.FILE  # type: ignore[attr-defined]  # which shtab reads
                elif isinstance(action.choices, dict):
                    parsers += action.choices.values()
        print(shtab.complete(parser, shell))
        parser.exit()
