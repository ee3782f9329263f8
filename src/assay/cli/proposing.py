"""The way of a proposal: take the edit, measure it, let the gate decide, keep it or put the item back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.incumbent import Versions
from assay.cli.run_ablation import ready, suite_of
from assay.engine.rooms import Rooms
from assay.errors import CannotRun, UsageError
from assay.gating import Proposal, gate_of
from assay.harnesses.plugin_eval import PluginEvalHarness
from assay.items import find_item
from assay.items.edit import edited, swap_in
from assay.model import PREVIOUS, Record
from assay.schemas.baseline import Best, best_of
from assay.schemas.skill_eval import TOLERANCE
from assay.store.ledger import LEDGER, find_rejected
from assay.verdict.curtail import is_rejected
from assay.verdict.evidence import FEWEST_TRIALS
from assay.verdict.evidence_rule import settled_rule
from assay.verdict.gate import STRICT, check_comparable
from assay.verdict.sequential import CAP, Watch

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.cli.run_ablation import Ablation, Ready
    from assay.gating import Gate
    from assay.model import Item, Suite
    from assay.schemas.skill_eval import SkillEval
    from assay.store.record import Recorded
    from assay.verdict.gate import Decision, Rule

HELD_OUT = "held-out"
REPLACED = Path(".assay/replaced")
CONFIRM_TIMES = 2
"""Fresh rounds to confirm with, as a multiple of the screen's runs."""


@dataclass(frozen=True, slots=True)
class Request:
    """What `assay propose` was asked for."""

    options: RunOptions
    item: str
    edit: str
    incumbent: str | None = None
    accept_mismatch: tuple[str, ...] = ()
    curtail: bool = True
    again: bool = False
    confirm: Rule | None = None
    """The rule that decides on fresh rounds beside the incumbent, once the strict rule let the edit pass."""
    sequential: bool = False
    """Stop the fresh rounds as soon as an e-value settles them."""
    proposal: Proposal | None = None
    """What goes into the ledger; None: nothing is recorded."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of a proposal."""

    result: SkillEval
    decision: Decision | None
    """None where the run was interrupted: nothing was decided, written or changed."""
    recorded: Recorded | None = None
    note: str = ""
    """What became of the item's files."""


def propose(request: Request) -> Proposed:
    """Measure an edit and decide on it.

    On accept the item in the project becomes the edit; on reject the item, and only the item, is what it was
    before the edit. What the item's files held is kept in `.assay/replaced/`.
    """
    options = request.options
    gate = gate_of(options.project.root, request.item, options.store or options.project.store)
    with _taken(request, gate) as versions:
        suite, is_held_out = _cases(suite_of(request.options, versions.current))
        beside = _beside(request, gate, versions)
        ablation, best = _screened(request, gate, versions.candidate, suite, beside if is_held_out else None)
        rule = _screen_rule(request)
        if request.confirm and _passes(request, gate, ablation, best):
            ablation, rule = _confirmed(request, ablation, versions.candidate, suite, beside)
        if ablation.result.partial_reason == "interrupted":
            note = "interrupted: nothing was decided, the item is as it was"
            return Proposed(ablation.result, None, note=note)
        return _decided(request, gate, versions, ablation, rule)


def _screened(
    request: Request, gate: Gate, candidate: Item, suite: Suite, beside: Callable[[str], Item] | None
) -> tuple[Ablation, Best | None]:
    """The first measurement, and the recorded best of its model."""
    with ready(request.options, candidate, suite, beside) as run:
        best = _checked(request, gate, run)
        return run.measure(_curtailed(request, run, best)), best


def _screen_rule(request: Request) -> Rule:
    """The strict rule, under the name of the rule that was asked for: it is a necessary condition of both."""
    return replace(STRICT, name=request.confirm.name) if request.confirm else STRICT


def _passes(request: Request, gate: Gate, ablation: Ablation, best: Best | None) -> bool:
    if ablation.result.partial_reason == "interrupted":
        return False
    against = _incumbent_best(ablation, best)
    meant = request.accept_mismatch
    passed = gate.decide(ablation.result, accept_mismatch=meant, incumbent=against, is_attempt=False)
    return passed.accepted


def _confirmed(
    request: Request, screen: Ablation, candidate: Item, suite: Suite, beside: Callable[[str], Item]
) -> tuple[Ablation, Rule]:
    """Fresh rounds of the edit, the incumbent and the arm without, side by side, and the rule for them.

    Twice as many as the screen had; fewer where they are futile or, if they may be stopped early, settled.
    The estimate that is recorded is theirs: that of the screen was chosen for being high.
    """
    rule = request.confirm
    assert rule is not None
    left = request.options.ceiling_usd - screen.measured.finish.spent_usd
    if left <= TOLERANCE:
        raise CannotRun("the screen spent the whole ceiling: nothing is left for the fresh rounds")
    rounds = CONFIRM_TIMES * max(case.runs_with or 1 for case in screen.result.cases)
    options = replace(
        request.options, fresh=True, runs=CAP if request.sequential else rounds, max_cost_usd=left
    )
    watch = Watch(len(suite.cases), rule.alpha if request.sequential else None, FEWEST_TRIALS)
    with ready(options, candidate, suite, beside) as run:
        ablation = run.measure(watch)
    is_settled = request.sequential or watch.standing != "open"
    return ablation, settled_rule(rule, watch.standing) if is_settled else rule


@contextmanager
def _taken(request: Request, gate: Gate) -> Iterator[Versions]:
    """The edit, read, and refused where it need not be measured; its folder lasts as long as the proposal."""
    project = request.options.project.root
    if request.proposal:
        gate.check(request.proposal)
    current = find_item(project, request.item)
    with Rooms() as rooms:
        candidate = edited(project, current, request.edit, rooms.folder / "candidate")
        before = find_rejected(project / LEDGER, gate.item, candidate.digest)
        if before and not request.again:
            told = f"these very files were rejected before ({before.run}): {before.outcome}"
            raise UsageError(f"{told}; --again measures them once more")
        yield Versions(project, current, candidate, rooms.folder)


def _cases(suite: Suite) -> tuple[Suite, bool]:
    """The held-out cases where the suite has such a tag, else all."""
    held = tuple(case for case in suite.cases if HELD_OUT in case.tags)
    return (replace(suite, cases=held), True) if held else (suite, False)


def _beside(request: Request, gate: Gate, versions: Versions) -> Callable[[str], Item]:
    """What runs beside the edit, once the model is known whose best it is."""

    def incumbent(model: str) -> Item:
        found = versions.incumbent(gate.best(model), request.incumbent)
        if found is None:
            raise UsageError("nothing says which version the edit has to beat: name it with --incumbent")
        if found.digest == versions.candidate.digest:
            raise UsageError(f"{request.edit!r} is the incumbent itself: it changes nothing")
        return found

    return incumbent


def _checked(request: Request, gate: Gate, run: Ready) -> Best | None:
    """The recorded best, after what would make the measurement useless was refused."""
    best = gate.best(run.info.model)
    if run.incumbent is not None and isinstance(run.parts.harness, PluginEvalHarness):
        raise UsageError(
            "plugin-eval runs whole suites on two arms: an incumbent beside them needs --harness claude"
        )
    if run.incumbent is None:
        if best and best.item_digest == run.item.digest:
            raise UsageError(f"{request.edit!r} is the recorded best itself ({best.run}): it changes nothing")
        check_comparable(run.empty, best, request.accept_mismatch)
    return best


def _curtailed(request: Request, run: Ready, best: Best | None) -> Callable[[Sequence[Record]], bool] | None:
    """Ends a run whose rejection is certain."""
    if not request.curtail:
        return None
    beside = PREVIOUS if run.incumbent else None
    return lambda records: is_rejected(run.info.planned, records, best, beside)


def _decided(request: Request, gate: Gate, versions: Versions, ablation: Ablation, rule: Rule) -> Proposed:
    """Decide, give the item the files that the decision leaves it with, and record both where asked."""
    result, meant = ablation.result, request.accept_mismatch
    best = gate.best(result.model)
    against = _incumbent_best(ablation, best)
    notes: list[str] = []

    def place(decision: Decision) -> None:
        notes.append(_place(request, versions, best, is_accepted=decision.accepted))

    recorded = None
    if request.proposal:
        decision, recorded = gate.record(
            result,
            request.proposal,
            rule=rule,
            accept_mismatch=meant,
            incumbent=against,
            before_write=place,
        )
    else:
        decision = gate.decide(result, rule=rule, accept_mismatch=meant, incumbent=against)
        place(decision)
    return Proposed(result, decision, recorded, " ".join(notes))


def _incumbent_best(ablation: Ablation, best: Best | None) -> Best | None:
    """What ran beside the edit, as the best to beat; None where nothing did or it has no score."""
    before = ablation.incumbent
    if before is None or before.with_score is None:
        return None
    run = best.run if best else f"{before.run}:{PREVIOUS}"
    return replace(best_of(before), run=run, revision=best.revision if best else None)


def _place(request: Request, versions: Versions, best: Best | None, *, is_accepted: bool) -> str:
    """Give the item the files that the decision leaves it with; what was done, in words."""
    wanted = versions.candidate if is_accepted else versions.current
    if not is_accepted and versions.current.digest == versions.candidate.digest:
        incumbent = versions.incumbent(best, request.incumbent)
        if incumbent is None:
            return "the item still holds the edit: nothing says what to put back (--incumbent does)"
        wanted = incumbent
    kept = swap_in(versions.current, wanted, versions.project / REPLACED)
    if kept is None:
        return "the item holds the edit" if is_accepted else "the item is as it was"
    where = kept.relative_to(versions.project).as_posix()
    done = "the item holds the edit" if is_accepted else "the item was put back"
    return f"{done}; what it held before is kept in {where}"
