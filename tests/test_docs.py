"""Every command and option is documented, and the documentation names only tests that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assay.cli import COMMANDS, cli
from assay.cli.environment import VARIABLES
from assay.cli.project import Config

ROOT = Path(__file__).parent.parent
PAGES = {
    path.name: path.read_text("utf-8") for path in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("README.md")]
}
SHARED = {"--help"}


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def options(command: click.Command) -> list[str]:
    given = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    return [
        option for param in given for option in param.opts if option.startswith("--") and option not in SHARED
    ]


FOUND = dict(commands())


def test_every_command_of_the_table_is_there() -> None:
    assert set(COMMANDS) <= set(FOUND)


@pytest.mark.parametrize("name", FOUND)
def test_a_command_and_each_of_its_options_is_documented(name: str) -> None:
    pages = [text for text in PAGES.values() if re.search(rf"`assay {name}\b", text)]
    assert pages, f"no page of docs/ and not the README names `assay {name}`"
    missing = [flag for flag in options(FOUND[name]) if not any(_has(flag, text) for text in pages)]
    assert not missing, f"the pages that name `assay {name}` do not say what {', '.join(missing)} does"


@pytest.mark.parametrize("name", FOUND)
def test_every_option_has_a_line_of_help(name: str) -> None:
    params = [param for param in FOUND[name].params if isinstance(param, click.Option) and not param.hidden]
    assert [param.name for param in params if not param.help] == []
    assert FOUND[name].help or FOUND[name].short_help


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_exists(page: str) -> None:
    for file, test in re.findall(r"(tests/[\w/]+\.py)::(\w+)", PAGES[page]):
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), f"{page} names {file}::{test}"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_somewhere(page: str) -> None:
    folder = ROOT if page == "README.md" else ROOT / "docs"
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", _without_code(PAGES[page])):
        if "://" not in target and not target.startswith("mailto:"):
            assert (folder / target).exists(), f"{page} links to {target}"


def _has(flag: str, text: str) -> bool:
    return re.search(rf"{re.escape(flag)}(?![\w-])", text) is not None


def _without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)


def test_every_setting_and_every_variable_is_documented() -> None:
    page = PAGES["running.md"]
    missing = [name for name in [*Config.__dataclass_fields__, *VARIABLES] if f"`{name}`" not in page]
    assert not missing
