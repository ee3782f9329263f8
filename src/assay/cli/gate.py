"""`assay gate`: accept or reject a result against the best recorded for its model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.gating import Proposal
    from assay.schemas.skill_eval import SkillEval
    from assay.verdict.gate import Rule

rule_option = click.option(
    "--rule",
    type=click.Choice(["strict", "evidence"]),
    default="strict",
    help="Decide strictly (the default), or by what exact tests of the trials can bear.",
)
confidence_option = click.option(
    "--confidence",
    type=click.Choice(["normal", "high"]),
    help="How sure --rule evidence has to be: p at most .10 (normal, the default) or .05.",
)


def rule_of(rule: str, confidence: str | None) -> Rule | None:
    """The rule that was asked for; None is the strict one. Raises UsageError for a confidence in that."""
    from assay.verdict.evidence_rule import evidence_rule

    if rule == "evidence":
        return evidence_rule("high" if confidence == "high" else "normal")
    if confidence:
        raise UsageError("--confidence is for --rule evidence: the strict rule knows none")
    return None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("item")
@click.argument("result", type=click.Path(path_type=Path))
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
@json_option
@project_option
def gate(
    *,
    project: Path,
    rule: str,
    confidence: str | None,
    item: str,
    result: Path,
    is_recorded: bool,
    pr: str | None,
    pages: tuple[str, ...],
    accept_mismatch: tuple[str, ...],
    as_json: bool,
) -> int:
    """Accept RESULT.json of ITEM where it beats the recorded best; reject it otherwise.

    RESULT.json is what `assay run --out` wrote, or a two-arm result of `claude plugin eval --json`, or
    skill-creator's benchmark.json. Nothing is run: the gate reads the result and the baseline. Exit code 0
    accepts, 1 rejects, 2 says that the call or a file is not usable.
    """
    from assay.cli.project import open_project
    from assay.foreign import read_result
    from assay.gating import gate_of
    from assay.report.gate_text import gate_text

    judge, by = gate_of(project, item, open_project(project).store), rule_of(rule, confidence)
    measured = read_result(result, judge.item)
    if is_recorded:
        proposal = proposal_of(project, measured, pr, pages)
        decision, written = judge.record(measured, proposal, rule=by, accept_mismatch=accept_mismatch)
    else:
        if pr or pages:
            raise UsageError("--pr and --pages are for --record: add it, or leave them out")
        decision, written = judge.decide(measured, rule=by, accept_mismatch=accept_mismatch), None
    if as_json:
        document = decision.to_document(written.to_document() if written else None)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(gate_text(decision, written))
    return 0 if decision.accepted else 1


def proposal_of(project: Path, result: SkillEval, pr: str | None, pages: tuple[str, ...]) -> Proposal:
    """What `--pr` and `--pages` say, with the commit that holds the item as it was run."""
    from assay.errors import CannotRun
    from assay.gating import Proposal
    from assay.items import find_item
    from assay.items.history import revision_holding

    if not pr or not pages:
        raise UsageError("--record needs --pr and --pages: the ledger's row names both")
    names = tuple(name for given in pages for name in given.split(","))
    try:
        found = find_item(project, result.item)
    except CannotRun:
        return Proposal(pr, names)
    is_as_it_was_run = found.digest == result.item_digest
    return Proposal(pr, names, revision_holding(project, found.root) if is_as_it_was_run else None)
