"""The command line as a whole: help, version, completion, and how little they load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.cli.commands import COMMANDS


def python(*arguments, **env):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **env}, check=True
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_explains_itself(name):
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 4
    assert max(map(len, result.output.splitlines())) <= 80


def test_help_and_version_load_nothing_heavy():
    heavy = [
        "asyncio",
        "numpy",
        "scipy",
        "rich",
        "pydantic",
        "jsonschema",
        "yaml",
        "sqlite3",
        "jinja2",
        "msgspec",
    ]
    code = (
        "import sys; from click.testing import CliRunner; from assay.cli import cli;"
        "print(CliRunner().invoke(cli, ['--help']).output);"
        f"print('loaded:', [name for name in {heavy} if name in sys.modules])"
    )
    output = python("-c", code).stdout
    assert "loaded: []" in output
    assert "  run " in output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_complete_commands(shell):
    script = python("-m", "assay", "completion", shell).stdout
    assert "_ASSAY_COMPLETE" in script
    completed = python("-m", "assay", _ASSAY_COMPLETE="bash_complete", COMP_WORDS="assay ru", COMP_CWORD="1")
    assert completed.stdout == "plain,run\n"


def test_an_unknown_command_is_a_usage_error():
    done = subprocess.run([sys.executable, "-m", "assay", "rum"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No such command 'rum'" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("arguments", [["--help"], ["models", "list", "--json"], ["completion", "bash"]])
def test_output_to_a_full_disk_says_so(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == "assay: the output could not be written: No space left on device\n"
