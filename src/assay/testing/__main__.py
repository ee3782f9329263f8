"""`python -m assay.testing RULES.yaml`: serve a scripted model on loopback until interrupted."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.errors import AssayError
from assay.testing import ScriptedServer, load_rules


@click.command()
@click.argument("rules", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--port", default=0, help="Port on 127.0.0.1; 0 takes a free one.")
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Append requests to this file.")
def serve(rules: Path, port: int, log: Path | None) -> None:
    """Play a model on the Anthropic (and OpenAI) wire by the rules in RULES; prints its URL first."""
    with ScriptedServer(load_rules(rules), port=port, log=log) as server:
        click.echo(server.url)
        sys.stdout.flush()
        server.ended.wait()


if __name__ == "__main__":
    try:
        serve(prog_name="python -m assay.testing")
    except AssayError as error:
        click.echo(f"assay.testing: {error}", err=True)
        sys.exit(error.exit_code)
