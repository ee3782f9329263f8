"""`assay store`: what the trial store holds, whether it is sound, and how trials get from one to another."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.output import print_result
from assay.cli.stored import find_run, reading

if TYPE_CHECKING:
    from assay.store.trials import TrialStore
    from assay.store.upkeep import Contents, Freed

MEBI = 1024 * 1024


@click.group()
def store() -> None:
    """What is kept of every trial: how much it is, whether it is sound, from one machine to another."""


@store.command()
@json_option
@store_option
@project_option
def info(as_json: bool, store: Path | None, project: Path) -> int:
    """Say what the store holds, what it has cost and saved."""
    from assay.store.upkeep import contents

    with reading(project, store) as trials:
        found = contents(trials)
        print_result(asdict(found), _contents_text(trials, found), as_json=as_json)
    return 0


@store.command()
@click.option("--older-than", type=click.IntRange(1), metavar="DAYS", help="Remove runs older than this too.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@json_option
@store_option
@project_option
def gc(older_than: int | None, dry_run: bool, as_json: bool, store: Path | None, project: Path) -> int:
    """Remove transcripts that no trial names, and old runs where asked; give the space back.

    What is removed is not used again: such trials are run anew where they are needed.
    """
    from assay.store.upkeep import collect

    moment = None
    if older_than is not None:
        moment = f"{datetime.now(UTC) - timedelta(days=older_than):%Y-%m-%dT%H:%M:%SZ}"
    with closing(_open(project, store)) as trials:
        freed = collect(trials, moment, dry=dry_run)
    print_result(asdict(freed), _freed_text(freed, dry=dry_run), as_json=as_json)
    return 0


@store.command()
@json_option
@store_option
@project_option
def check(as_json: bool, store: Path | None, project: Path) -> int:
    """Read every page, trial and transcript; exit code 1 where something is damaged."""
    from assay.store.upkeep import PROBLEMS_SHOWN, problems

    with reading(project, store) as trials:
        found = list(problems(trials))
    shown = found[:PROBLEMS_SHOWN]
    if len(found) > len(shown):
        shown.append(f"and {len(found) - len(shown)} more")
    print_result({"sound": not found, "problems": found}, "\n".join(shown) or "sound", as_json=as_json)
    return 1 if found else 0


@store.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--run", "run_ids", multiple=True, metavar="RUN", help="Only this run; may be repeated.")
@json_option
@store_option
@project_option
def export(file: Path, run_ids: tuple[str, ...], as_json: bool, store: Path | None, project: Path) -> int:
    """Write runs with all their trials and transcripts to a new store FILE."""
    from assay.store.transfer import export as write

    with reading(project, store) as trials:
        runs = [find_run(trials, run_id) for run_id in run_ids] or trials.runs()[::-1]
        done = write(trials, runs, file)
    text = f"{done.runs} runs with {done.trials} trials written to {file.as_posix()}"
    print_result(asdict(done), text, as_json=as_json)
    return 0


@store.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@json_option
@store_option
@project_option
def import_(files: tuple[Path, ...], as_json: bool, store: Path | None, project: Path) -> int:
    """Take the trials of other stores over, as of another machine or of a shard.

    A run of the whole suite then finds them all paid for, and gives the verdict of one run. Importing a file
    again changes nothing.
    """
    from assay.store.transfer import merge

    rows, lines = [], []
    with closing(_open(project, store, must_exist=False)) as trials:
        for file in files:
            done = merge(trials, file)
            rows.append({"file": file.as_posix(), **asdict(done)})
            lines.append(f"{file.as_posix()}: {done.trials} trials taken over, {done.runs} new runs")
    print_result(rows, "\n".join(lines), as_json=as_json)
    return 0


def _open(project: Path, store: Path | None, *, must_exist: bool = True) -> TrialStore:
    from assay.cli.project import open_project
    from assay.store.trials import TrialStore

    if must_exist:
        with reading(project, store):
            pass
    return TrialStore(store or open_project(project).store)


def _contents_text(trials: TrialStore, found: Contents) -> str:
    where = trials.path.as_posix() if trials.path else ""
    span = f", {found.first} to {found.last}" if found.first else ""
    return (
        f"{where}: {found.size / MEBI:.1f} MiB, schema {found.schema}\n"
        f"{found.runs} runs{span}\n"
        f"{found.trials} trials: {found.scored} scored, {found.errors} errors;"
        f" {found.cached} from the store\n"
        f"{found.transcripts} transcripts, {found.transcripts_size / MEBI:.1f} MiB compressed\n"
        f"${found.paid_usd:.2f} paid, ${found.saved_usd:.2f} saved"
    )


def _freed_text(freed: Freed, *, dry: bool) -> str:
    what = f"{freed.runs} runs, {freed.trials} trials and {freed.transcripts} transcripts"
    return f"{'would remove' if dry else 'removed'} {what}: {freed.size / MEBI:.1f} MiB"
