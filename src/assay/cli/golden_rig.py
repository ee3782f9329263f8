"""What golden tasks run on: the chosen harness, that of features, a judge never below the producer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.cli.client_model import CLIENT, UNASKED, open_asked
from assay.cli.harnesses import Rig, choose_harness
from assay.cli.measure import say
from assay.errors import UsageError
from assay.harnesses import HARNESSES
from assay.harnesses.by_target import ByTarget
from assay.harnesses.feature import FeatureHarness
from assay.models.tiers import weaker
from assay.named import named
from assay.schemas.golden_baseline import joined
from assay.schemas.golden_eval import NO_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.golden_tasks import GoldenTasks
    from assay.cli.harnesses import Chosen
    from assay.cli.options import RunOptions
    from assay.harnesses import Harness
    from assay.model import Case
    from assay.models import ChatModel


@dataclass(frozen=True, slots=True)
class GoldenRig:
    """What a golden run runs on. Close it when the run is over."""

    harness: Harness
    model: str
    """As asked for; `none` where all targets are features."""
    stamp: str
    """The harness's, and the features' beside it where there are both."""
    judge: ChatModel | None
    router: ChatModel | None
    """Answers trigger questions; None where there are none."""

    @property
    def rig(self) -> Rig:
        """What its trials run on."""
        return Rig(self.harness, self.model, self.judge)

    def close(self) -> None:
        self.harness.close()
        for model in {id(model): model for model in (self.judge, self.router) if model}.values():
            model.close()


def golden_rig(options: RunOptions, tasks: GoldenTasks) -> GoldenRig:
    """Set up all that is needed. Raises UsageError, CannotRun or ModelMissing before anything is spent."""
    asked = [case for case in tasks.cases if not _is_feature(case)]
    features = FeatureHarness(tasks.features, options.project.root, dict(os.environ))
    chosen = choose_harness(options, tasks.items[str(asked[0].target)].kind) if asked else None
    if chosen is None and options.harness:
        named("harness", options.harness.partition(":")[0], HARNESSES, "assay.harnesses")
    judge = _judge(options, tasks, chosen) if any(map(_is_judged, tasks.cases)) else None
    router = _router(options, chosen, judge) if tasks.triggers else None
    if chosen is None:
        return GoldenRig(features, NO_MODEL, features.stamp, judge, router)
    both = len(asked) < len(tasks.cases)
    stamps = [chosen.harness.stamp, *([features.stamp] if both else [])]
    harness = ByTarget(chosen.harness, features) if both else chosen.harness
    return GoldenRig(harness, chosen.model, joined(stamps), judge, router)


def _is_feature(case: Case) -> bool:
    return case.target is not None and case.target.kind == "feature"


def _is_judged(case: Case) -> bool:
    return any(spec.type == "rubric" for spec in case.graders)


def _judge(options: RunOptions, tasks: GoldenTasks, chosen: Chosen | None) -> ChatModel:
    """The judge that was named, else the producing model itself. Raises UsageError for a weaker one."""
    config = options.project.config
    producers = _producers(tasks, chosen)
    name = options.judge_model or config.judge_model or _only(producers, chosen)
    if name is None:
        raise UsageError(
            "the model that judges the rubrics has to be named, since the one that produces the outputs"
            " is not known: --judge-model, or `judge_model` in the project's settings"
        )
    for producer in dict.fromkeys(producers):
        _check_tier(name, producer, options)
    return open_asked(name, options, chosen)


def _producers(tasks: GoldenTasks, chosen: Chosen | None) -> Sequence[str | None]:
    """The models whose outputs are judged; None for one that is not known."""
    judged = [case for case in tasks.cases if _is_judged(case)]
    models: list[str | None] = []
    if any(not _is_feature(case) for case in judged):
        models.append(_producer(chosen))
    models += [tasks.features[case.target.name].model for case in judged if case.target and _is_feature(case)]
    return models


def _producer(chosen: Chosen | None) -> str | None:
    """The chosen model; a client that was not told one is the same model whenever it is asked."""
    if chosen is None or (chosen.model == UNASKED and chosen.name != CLIENT):
        return None
    return chosen.model


def _only(producers: Sequence[str | None], chosen: Chosen | None) -> str | None:
    """The one producing model as a name that can be asked."""
    if len(set(producers)) != 1:
        return None
    return chat_name(chosen) if chosen and producers[0] == chosen.model else producers[0]


def _check_tier(judge: str, producer: str | None, options: RunOptions) -> None:
    """Refuse a judge below the producer, or one of which that cannot be told, unless it is allowed."""
    below = None if producer is None else weaker(judge, producer, options.project.config.tiers)
    if below is False:
        return
    who = producer or "the model that produces the outputs, which is not known"
    told = f"the judge {judge} is weaker than {who}"
    if below is None:
        told = f"whether the judge {judge} is weaker than {who} is not known: no tier is"
    if not options.allow_weaker_judge:
        raise UsageError(
            f"{told}; name another with --judge-model, give `tiers` in the settings, or allow it"
            " with --allow-weaker-judge"
        )
    say(f"note: {told}; allowed", options)


def chat_name(chosen: Chosen | None) -> str | None:
    """The chosen model as one that can be asked; None where the harness has none."""
    if chosen is None:
        return None
    if chosen.name == CLIENT:
        return f"{CLIENT}:{chosen.model}"
    return chosen.model if chosen.name == "model" else None


def _router(options: RunOptions, chosen: Chosen | None, judge: ChatModel | None) -> ChatModel:
    """The chosen model where it can be asked, else the judge."""
    name = chat_name(chosen) or options.judge_model or options.project.config.judge_model
    if name is None:
        raise UsageError(
            "evals/triggers.json asks a model where queries go: name one with --model or --judge-model"
        )
    if judge is not None and judge.name == name:
        return judge
    return open_asked(name, options, chosen)
