"""Where a result goes: JSON or text to standard output, and to a file where one was named."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from assay.store.whole_file import indented, write_json, write_whole

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.model import JSON


def columns() -> int:
    """How wide the terminal is; 80 where the output goes elsewhere, so that files do not depend on it."""
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80


def write_out(options: RunOptions, document: JSON, text: str) -> None:
    """Print the result, and write it to `--out`: the document where the name ends in .json, else the text."""
    if options.out is not None:
        if options.out.suffix.lower() == ".json":
            write_json(options.out, document)
        else:
            write_whole(options.out, text + "\n")
    print_result(document, text, as_json=options.as_json)


def print_result(document: JSON, text: str, *, as_json: bool) -> None:
    """One document or one text on standard output."""
    click.echo(indented(document) if as_json else text)
