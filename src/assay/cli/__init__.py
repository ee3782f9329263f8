"""The command line: one module a command, imported when it is called."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any, NoReturn

import click

from assay.cli.commands import COMMANDS
from assay.errors import AssayError
from assay.named import at_path
from assay.version import __version__


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = at_path(COMMANDS[cmd_name][0])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """Did this change to a skill, prompt, agent or LLM feature make it better or worse, and can the numbers
    bear that answer?"""


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 yes, 1 no, 2 wrong input, 3 could not run, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = _exit_code(argv)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = StringIO()
    except OSError as error:
        code = _unwritten(error)
    sys.exit(code)


def _exit_code(argv: list[str] | None) -> int:
    try:
        result: Any = cli.main(args=argv, prog_name="assay", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except AssayError as error:
        click.echo(f"assay: {error}", err=True)
        return error.exit_code
    except OSError as error:
        if error.filename is not None:
            raise
        return _unwritten(error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("assay: interrupted", err=True)
        return 130
    return result if isinstance(result, int) else 0


def _unwritten(error: OSError) -> int:
    """Say that what was printed did not arrive (a full disk), and leave nothing to flush."""
    click.echo(f"assay: the output could not be written: {error.strerror or error}", err=True)
    sys.stdout = StringIO()
    return 3
