"""The gate with its files: read the best, decide, and where asked write the decision down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import CannotRun, Unusable, UsageError
from assay.items import find_item
from assay.model import WITH, exact
from assay.schemas.baseline import Best, best_of
from assay.schemas.skill_eval import TOLERANCE, SkillEval, exact_score
from assay.store.attempts import Attempt, remember
from assay.store.baseline import read_baseline
from assay.store.ledger import LEDGER, Row, find_row, page_links, runs_since
from assay.store.record import Raise, Recorded, record
from assay.store.whole_file import REAL_DISK, Disk, locked
from assay.verdict.evidence_of_result import evidence_of_decision
from assay.verdict.gate import STRICT, Condition, Decision, Rule, decide


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a recorded decision names: its pull request, and the pages under `wiki/patterns/` behind it."""

    pr: str
    pages: Sequence[str]
    revision: str | None = None
    """The commit that holds the item as it was run, where there is one."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One item's gate in a project."""

    project: Path
    item: str
    baseline: Path
    store: Path | None = None
    """The trial store, which remembers what was judged; None: the ledger alone does."""

    def decide(
        self,
        result: SkillEval,
        *,
        rule: Rule | None = None,
        accept_mismatch: Sequence[str] = (),
        incumbent: Best | None = None,
        is_attempt: bool = True,
    ) -> Decision:
        """Judge a result against the incumbent or the best of its model.

        Nothing is written, but that the store remembers the attempt, if it is one.
        """
        self._check_item(result)
        best = self.best(result.model)
        decision = _decide(result, incumbent or best, rule, accept_mismatch)
        return self._remembered(decision, rule, best) if is_attempt else decision

    def record(
        self,
        result: SkillEval,
        proposal: Proposal,
        *,
        rule: Rule | None = None,
        accept_mismatch: Sequence[str] = (),
        incumbent: Best | None = None,
        before_write: Callable[[Decision], None] | None = None,
        disk: Disk = REAL_DISK,
    ) -> tuple[Decision, Recorded]:
        """Judge a result and write the decision: a row in the ledger and, on accept, the raised best.

        It is judged against `incumbent` where one was run beside it, else against the recorded best;
        `before_write` gets the decision before anything is written. A run that the ledger holds is not judged
        again: what a crash lost of its decision is completed. Raises `UsageError` where the proposal names no
        pull request or a page that is not there.
        """
        self._check_item(result)
        pages = self.check(proposal)
        with locked(self.project):
            best = self.best(result.model)
            known = find_row(self.project / LEDGER, result.run)
            if known:
                return self._complete(known, result, best, proposal, disk)
            decision = _decide(result, incumbent or best, rule, accept_mismatch)
            decision = self._remembered(decision, rule, best)
            if before_write:
                before_write(decision)
            row = _row(decision, result, proposal.pr, pages)
            return decision, record(self.project, row, self._raise(decision, result, proposal), disk)

    def check(self, proposal: Proposal) -> str:
        """The ledger's cell for the proposal's pages. Raises `UsageError` where it cannot be recorded."""
        if not proposal.pr.strip():
            raise UsageError("--pr is empty: name the pull request of the proposal")
        return page_links(self.project, proposal.pages)

    def best(self, model: str) -> Best | None:
        """The best recorded for a model."""
        return read_baseline(self.baseline, self.item).best.get(model)

    def _remembered(self, decision: Decision, rule: Rule | None, best: Best | None) -> Decision:
        """The decision with how many results were judged against the same record, this one among them."""
        if best is not None and best.run == decision.run:
            return decision
        record_ = best.run if best else None
        attempt = Attempt(
            decision.item,
            decision.model,
            record_ or "",
            decision.run,
            decision.accepted,
            _by_luck(decision, rule or STRICT),
        )
        ledger = runs_since(self.project / LEDGER, self.item, record_)
        return replace(decision, attempts=remember(self.store, attempt, ledger).to_document())

    def _complete(
        self, row: Row, result: SkillEval, best: Best | None, proposal: Proposal, disk: Disk
    ) -> tuple[Decision, Recorded]:
        _check_same(row, result)
        decision = _decided_before(row, result, best)
        if best and best.run == result.run:
            return decision, Recorded("already there", "already there")
        is_lost = decision.accepted and _is_higher(result, best)
        raised = self._raise(decision, result, proposal) if is_lost else None
        return decision, record(self.project, row, raised, disk)

    def _raise(self, decision: Decision, result: SkillEval, proposal: Proposal) -> Raise | None:
        if not decision.accepted or (decision.best and decision.best.run == result.run):
            return None
        return Raise(self.baseline, self.item, result.model, best_of(result, proposal.revision))

    def _check_item(self, result: SkillEval) -> None:
        if result.item != self.item:
            raise Unusable(f"the result is of {result.item!r}, not of {self.item!r}")


def gate_of(project: Path, name: str, store: Path | None = None) -> Gate:
    """The gate of an item; the trial store, where one is given, remembers its attempts.

    Its best lies in `evals/<item>/baseline.json` of the project. Where the cases lie directly under the
    `evals/` of a plugin or skill folder, it is `evals/baseline.<item>.json` there. Raises `UsageError` for a
    name that would lead out of `evals/`, `CannotRun` where there is neither a suite nor an item of that name.
    """
    own = project / "evals" / name
    if _is_folder_name(name) and own.is_dir():
        return Gate(project, name, own / "baseline.json", store)
    try:
        item = find_item(project, name)
    except CannotRun:
        _check_name(name)
        raise
    _check_name(item.name)
    if item.root.is_dir() and (item.root / "evals").is_dir():
        return Gate(project, item.name, item.root / "evals" / f"baseline.{item.name}.json", store)
    return Gate(project, item.name, project / "evals" / item.name / "baseline.json", store)


def _is_folder_name(name: str) -> bool:
    return name not in ("", ".", "..") and name.isprintable() and not {"/", "\\"} & set(name)


def _check_name(name: str) -> None:
    if not _is_folder_name(name):
        raise UsageError(f"{name!r} cannot be an item's name: its best is kept in a folder of that name")


def _decide(
    result: SkillEval, best: Best | None, rule: Rule | None, accept_mismatch: Sequence[str]
) -> Decision:
    """The rule's decision, with what the numbers can bear beside it."""
    rule = rule or STRICT
    decision = decide(result, best, rule=rule, accept_mismatch=accept_mismatch)
    evidence = evidence_of_decision(result, best, rule.alpha)
    if evidence is not None and rule.settled is not None:
        word, sentence = rule.settled
        evidence = {**evidence, "verdict": word, "sentence": f"{sentence[0].upper()}{sentence[1:]}."}
    return replace(decision, evidence=evidence)


def _by_luck(decision: Decision, rule: Rule) -> float | None:
    """How often the rule accepts where nothing changed, at most; None where the trials do not say."""
    if rule.name != "strict":
        return rule.alpha
    luck = decision.evidence.get("under_no_change") if decision.evidence else None
    return luck.get("strict_accepts") if luck else None


def _row(decision: Decision, result: SkillEval, pr: str, pages: str) -> Row:
    outcome = "accepted" if decision.accepted else f"rejected: {'; '.join(decision.reasons)}"
    before = _shown(decision.best.score) if decision.best else f"{_shown(result.without_score)} (without)"
    after = _shown(result.with_score)
    digest = None if result.partial else result.item_digest
    return Row(result.date, result.item, pr, pages, before, after, outcome, result.run, digest)


def _shown(score: float | None) -> str:
    return "none" if score is None else f"{score:.2f}"


def _check_same(row: Row, result: SkillEval) -> None:
    after = _shown(result.with_score)
    if (row.skill, row.after) != (result.item, after):
        raise Unusable(
            f"the ledger holds {result.run} as {row.skill} with a score of {row.after}, and this result of "
            f"that run says {result.item} with {after}: two runs under one name, or one of them was changed"
        )


def _decided_before(row: Row, result: SkillEval, best: Best | None) -> Decision:
    """The decision that the ledger holds; the run is not judged again, least of all against itself."""
    told = "the ledger holds this run as accepted" if row.accepted else row.outcome.removeprefix("rejected: ")
    return Decision(
        item=result.item,
        model=result.model,
        run=result.run,
        rule="strict",
        conditions=(Condition("recorded", row.accepted, told),),
        score=result.with_score,
        without=result.without_score,
        trigger_rate=result.trigger_rate,
        best=best,
        evidence=result.evidence,
    )


def _is_higher(result: SkillEval, best: Best | None) -> bool:
    """Whether the result is still above what the baseline holds: a later run may have raised it further."""
    if best is None:
        return True
    ours, theirs = exact_score(result, WITH), best.exact_score(WITH)
    if ours is not None and theirs is not None:
        return ours > theirs
    return result.with_score is not None and exact(result.with_score) - exact(best.score) > exact(TOLERANCE)
