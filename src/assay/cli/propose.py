"""`assay propose`: measure an edit of an item and accept or reject it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import options_from, run_options
from assay.cli.gate import confidence_option, rule_of, rule_option
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.proposing import Proposed
    from assay.gating import Proposal

INTERRUPTED = 130


@click.command()
@click.argument("item")
@click.option("--edit", required=True, metavar="REVISION | PATCH | FOLDER", help="The edited item.")
@click.option("--incumbent", metavar="REVISION", help="The version to beat, where none is recorded.")
@click.option("--curtail/--no-curtail", default=True, help="Stop once a rejection is certain (the default).")
@click.option("--again", is_flag=True, help="Measure files that were rejected before once more.")
@click.option("--record", "is_recorded", is_flag=True, help="Write the decision to the ledger and baseline.")
@click.option("--pr", help="The proposal's pull request, for the ledger; needed with --record.")
@click.option("--pages", multiple=True, help="Pages under wiki/patterns/ it was built on; a,b or repeated.")
@click.option(
    "--accept-mismatch",
    multiple=True,
    type=click.Choice(["suite_digest", "judge_model", "harness"]),
    help="Say that this difference from the recorded best is meant.",
)
@rule_option
@confidence_option
@click.option(
    "--sequential",
    is_flag=True,
    help="Of --rule evidence: stop the fresh rounds once they are settled, after 10 at the latest.",
)
@run_options
def propose(
    *,
    rule: str,
    confidence: str | None,
    sequential: bool,
    item: str,
    edit: str,
    incumbent: str | None,
    curtail: bool,
    again: bool,
    is_recorded: bool,
    pr: str | None,
    pages: tuple[str, ...],
    accept_mismatch: tuple[str, ...],
    **given: Any,
) -> int:
    """Measure an edit of ITEM against the recorded best, and let the gate decide.

    The edit is a git revision, a patch, or a folder that holds the edited item. Accepted, it becomes the item
    in the project; rejected, the item is put back, and nothing else. Cases tagged held-out are used alone
    where a suite has them: the incumbent then runs beside the edit. With --rule evidence an edit that the
    strict rule lets pass is confirmed on fresh rounds beside the incumbent. Exit codes as of `assay gate`.
    """
    from assay.cli.proposing import Request
    from assay.cli.proposing import propose as measure_and_decide

    if sequential and rule != "evidence":
        raise UsageError("--sequential is for --rule evidence: the strict rule confirms nothing")
    request = Request(
        options=options_from(**given),
        item=item,
        edit=edit,
        incumbent=incumbent,
        accept_mismatch=accept_mismatch,
        curtail=curtail,
        again=again,
        confirm=rule_of(rule, confidence),
        sequential=sequential,
        proposal=_proposal(is_recorded, pr, pages, given["project"], edit),
    )
    done = measure_and_decide(request)
    if done.decision is None:
        click.echo(f"assay: {done.note}", err=True)
        return INTERRUPTED
    _print(done, as_json=request.options.as_json, out=request.options.out)
    return 0 if done.decision.accepted else 1


def _proposal(
    is_recorded: bool, pr: str | None, pages: tuple[str, ...], project: Path, edit: str
) -> Proposal | None:
    from assay.gating import Proposal
    from assay.items.history import resolve

    if not is_recorded:
        if pr or pages:
            raise UsageError("--pr and --pages are for --record: add it, or leave them out")
        return None
    if not pr or not pages:
        raise UsageError("--record needs --pr and --pages: the ledger's row names both")
    names = tuple(name for given in pages for name in given.split(","))
    return Proposal(pr, names, None if (project / edit).exists() else resolve(project, edit))


def _print(done: Proposed, *, as_json: bool, out: Path | None) -> None:
    from assay.report.gate_text import gate_text
    from assay.store.results import write_skill_eval
    from assay.store.whole_file import write_whole

    assert done.decision is not None
    document = done.decision.to_document(done.recorded.to_document() if done.recorded else None)
    text = gate_text(done.decision, done.recorded, done.note)
    if out is not None and out.suffix.lower() == ".json":
        write_skill_eval(out, done.result)
    elif out is not None:
        write_whole(out, f"{text}\n")
    click.echo(json.dumps(document, indent=2, ensure_ascii=False) if as_json else text)
