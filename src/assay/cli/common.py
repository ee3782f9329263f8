"""Options that many commands share, spelled once."""

from __future__ import annotations

from pathlib import Path

import click

project_option = click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="The project's folder.",
)
store_option = click.option(
    "--store", type=click.Path(path_type=Path), help="The trial store, instead of .assay/trials.sqlite."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print a document instead of text.")
