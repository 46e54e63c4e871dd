"""The command line, ``scrapy-boilerplate``: sources → pages → rows → sink."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from scrapy_boilerplate.core.names import why
from scrapy_boilerplate.learn.stores import StoreError
from scrapy_boilerplate.tools.cli.arguments import parsers
from scrapy_boilerplate.tools.cli.inputs import SourceError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with *arguments*, by default the process's; return its exit status."""
    parse, commands = parsers()
    args, more = parse.parse_known_args(arguments)
    if not hasattr(args, "command"):
        parse.print_help()
        return 0
    unknown = [each for each in more if each.startswith("-") and each != "-"]
    if unknown or (more and args.command != "extract"):
        commands[args.command].error(f"unrecognized arguments: {' '.join(unknown or more)}")
    args.sources += more  # those after an option
    try:
        if args.command == "inspect":
            from scrapy_boilerplate.tools.cli.inspecting import run_inspect

            return run_inspect(args, settings=dict(args.settings))
        from scrapy_boilerplate.tools.cli.extracting import run_extract

        return run_extract(args)
    except ValueError as error:
        print(f"scrapy-boilerplate: {error}", file=sys.stderr)
        return 2
    except (SourceError, StoreError, RuntimeError, OSError) as error:
        return failed("scrapy-boilerplate", error)
    except KeyboardInterrupt:
        return 130


def failed(command: str, error: BaseException, status: int = 1) -> int:
    """Show why a command failed; return its exit status, 0 if the reader has seen enough."""
    if isinstance(error, BrokenPipeError):
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    print(f"{command}:", *why(error, named=True).split(), file=sys.stderr)
    return status
