"""`assay init`: a first `evals/`, a draft for a skill, a workflow. Shown, asked about, never overwriting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import agrees, project_option
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.model import Item
    from assay.suites.scaffold import Planned

DECLINED = 1


@click.command()
@click.option(
    "--from", "source", type=click.Path(path_type=Path), metavar="SKILL.md", help="Draft a task for a skill."
)
@click.option("--ci", type=click.Choice(["github"]), help="Add a workflow that runs the golden tasks.")
@click.option("--yes", is_flag=True, help="Answer yes to the question.")
@project_option
def init(source: Path | None, ci: str | None, yes: bool, project: Path) -> int:
    """Plan the files of golden tasks, ask, and write those that are not there yet.

    Without options: README.md, thresholds.yml and one example task. Real tasks come from people.
    """
    planned = _plan(project, source, ci)
    new = [file for file in planned if not (project / file.path).exists()]
    for file in planned:
        click.echo(f"  {'create' if file in new else 'keep  '}  {file.path}")
    if not new:
        click.echo("Nothing to write: all of it is there.")
        return 0
    if not agrees(f"Write {len(new)} file{'s' if len(new) != 1 else ''}?", yes=yes):
        click.echo("Nothing was written.")
        return DECLINED
    for file in new:
        _write_new(project / file.path, file.text)
    click.echo(_next_step(new))
    return 0


def _plan(project: Path, source: Path | None, ci: str | None) -> list[Planned]:
    from assay.suites.golden import suite_folders
    from assay.suites.scaffold import draft, starter, workflow

    evals = project / "evals"
    files = starter(_target(project))
    if source is not None:
        files = [*files[:2], draft(_skill(source))]
    elif evals.is_dir() and (suite_folders(evals) or ci):
        files = files[:2] if not ci else []
    return [*files, *([workflow()] if ci else [])]


def _skill(source: Path) -> Item:
    from assay.items import item_at
    from assay.items.find import SKILL_FILES

    folder = source.parent if source.name in SKILL_FILES else source
    skill = item_at(folder, "skill")
    if skill.unloadable:
        raise UsageError(f"{source.as_posix()} is no skill that a client would load: {skill.unloadable}")
    return skill


def _target(project: Path) -> str:
    """The project's first skill, else a name to be replaced."""
    skills = sorted(path.parent.name for path in project.glob("skills/*/SKILL.md"))
    return f"skill:{skills[0] if skills else 'your-skill'}"


def _write_new(path: Path, text: str) -> None:
    """Write a file whole; one that has come to be there in the meantime is kept."""
    from assay.store.whole_file import write_whole

    if not path.exists():
        write_whole(path, text)


def _next_step(new: list[Planned]) -> str:
    tasks = [file.path for file in new if "/G-" in file.path]
    if not tasks:
        return "Written."
    return f"Written. Next: write what you expect into {tasks[0]}, then `assay run`."
