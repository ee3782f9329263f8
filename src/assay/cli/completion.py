"""`assay completion SHELL`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from assay.errors import CannotRun

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print the completion script of a shell.

    For bash: `assay completion bash > ~/.local/share/bash-completion/completions/assay`.
    """
    from assay.cli import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise CannotRun(f"no completion is known for {shell}")
    click.echo(kind(cli, {}, "assay", "_ASSAY_COMPLETE").source())
    return 0
