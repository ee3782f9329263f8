"""`assay view`: the pages of the whole store, in a browser on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from assay.cli.common import project_option, store_option
from assay.errors import CannotRun


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="The port; 0 takes any that is free.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the default browser.")
@store_option
@project_option
def view(port: int, opens: bool, store: Path | None, project: Path) -> int:
    """Look around in the stored runs, in a browser. Only this machine is answered, and nothing is changed.

    Prints the address, and runs until it is interrupted.
    """
    from importlib.util import find_spec

    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise CannotRun("the pages need starlette and uvicorn: pip install 'assay[view]'")
    from assay.cli.material import sources_of
    from assay.cli.project import open_project
    from assay.view.app import application
    from assay.view.library import Library
    from assay.view.server import address_of, listen, server

    path = store or open_project(project).store
    listener = listen(port)
    address = address_of(listener)
    click.echo(f"{address}  (read only, this machine only; Ctrl-C stops it)")
    if opens:
        click.launch(address)
    app = application(Library(path, lambda run: sources_of(run, project)))
    with suppress(KeyboardInterrupt):
        server(app).run(sockets=[listener])
    return 0
