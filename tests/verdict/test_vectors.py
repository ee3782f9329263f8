"""Every reference value of the shared vectors file, computed by the package (a few by the libraries named)."""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import nan, sqrt
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from assay.model import exact
from assay.verdict import agreement, betting, eprocess, intervals, multiple, passk
from assay.verdict.bayes import probability_above
from assay.verdict.permutation import sign_flip, within_cases
from assay.verdict.sample_size import cases_to_see, paired_t_cases, paired_t_power

FILE = Path(__file__).parent.parent / "fixtures" / "statistics" / "vectors.json"
VECTORS: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))

ELSEWHERE = {
    "asymptotic CMH": "we use the exact test that it approximates",
    "percentile bootstrap": "we use no bootstrap: it covers too little at these sizes",
    "confseq predmix": "two looser confidence sequences: we bet",
    "bayes_evals.paired_comparisons": "another library's noise, recorded as a warning",
    "evalstats HEAD": "another library's mistakes, recorded as a warning",
}
"""Entries about methods that the package leaves out on purpose, by the start of their name."""

A, B = VECTORS["paired data"]["A"], VECTORS["paired data"]["B"]
GAPS = [float(exact(b) - exact(a)) for a, b in zip(A, B, strict=True)]
CLUSTERS = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]]
RUNS = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0], [1, 0, 1]]
VOTES = [[1, 1, 1], [1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [0, 0, 1]]
COINS = [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1]
P_VALUES = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
CODERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
]
UNITS = [[value for value in unit if value == value] for unit in zip(*CODERS, strict=True)]


def passes(counts: list[int], runs: int) -> list[list[Fraction]]:
    return [[Fraction(1)] * count + [Fraction(0)] * (runs - count) for count in counts]


def four_intervals(passed: int, runs: int) -> dict[str, Any]:
    return {
        "wilson": intervals.wilson(passed, runs),
        "clopper_pearson": intervals.clopper_pearson(passed, runs),
        "beta_uniform_equal_tail": intervals.beta_interval(passed, runs),
        "beta_jeffreys_equal_tail": intervals.beta_interval(passed, runs, prior=0.5),
    }


def paired_t() -> dict[str, Any]:
    t = intervals.mean_of(GAPS) / sqrt(intervals.variance_of(GAPS) / len(GAPS))
    return {"t": t, "p": 2 * stats.t.sf(t, len(GAPS) - 1), "ci95": intervals.t_interval(GAPS)}


def flips() -> dict[str, Any]:
    test = sign_flip([exact(b) - exact(a) for a, b in zip(A, B, strict=True)])
    return {
        "p_two_sided": test.two_sided,
        "p_greater": test.greater,
        "brute_force_count": f"{round(test.greater * 1024)}/1024",
    }


def signed_ranks(gaps: list[float]) -> dict[str, Any]:
    moved = [gap for gap in gaps if gap]
    ranks = stats.rankdata([abs(gap) for gap in moved])
    signed = [exact(float(rank)) * (1 if gap > 0 else -1) for rank, gap in zip(ranks, moved, strict=True)]
    return {"statistic": sum(rank for rank in signed if rank > 0), "p": sign_flip(signed).greater}


def shuffled() -> dict[str, Any]:
    test = within_cases(passes([3, 1, 2, 0, 3], 3), passes([3, 3, 3, 2, 3], 3))
    return {"sum_new": 14, "p_greater": test.greater, "p_less": test.less, "mid_p_greater": test.mid_greater}


def matrix() -> dict[str, Any]:
    return {
        "mean": intervals.mean_of([intervals.mean_of(case) for case in RUNS]),
        "var_case_means": intervals.variance_of([intervals.mean_of(case) for case in RUNS]),
        "within_var": intervals.within_variance(RUNS),
        "between_var": intervals.between_variance(RUNS),
        "se_new_cases": intervals.se_new_cases(RUNS),
        "se_fixed_cases": intervals.se_fixed_cases(RUNS),
    }


def clustered() -> dict[str, Any]:
    values = [value for cluster in CLUSTERS for value in cluster]
    return {
        "mean": intervals.mean_of(values),
        "naive_se_ddof1": sqrt(intervals.variance_of(values) / len(values)),
        "cluster_CR0": intervals.clustered_se(CLUSTERS),
        "statsmodels_CR1": intervals.clustered_se(CLUSTERS, correct=True),
        "se_of_cluster_means_ddof1": intervals.se_new_cases(CLUSTERS),
    }


def corrections() -> dict[str, Any]:
    holm, bh = multiple.holm(P_VALUES), multiple.benjamini_hochberg(P_VALUES)
    return {
        "bh": bh,
        "bh_scipy": bh,
        "by": multiple.benjamini_hochberg(P_VALUES, dependent=True),
        "holm": holm,
        "rejected_bh": sum(p <= 0.05 for p in bh),
        "rejected_holm": sum(p <= 0.05 for p in holm),
    }


def airline() -> dict[str, Any]:
    cases = [(4, hits) for hits, count in {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}.items() for _ in range(count)]
    hat = [passk.mean_pass_hat_k(cases, k) for k in (1, 2, 3, 4)]
    return {
        "pass_hat_1_to_4": hat,
        "published": "/".join(f"{value:.3f}" for value in hat),
        "pass_at_1_to_4": [passk.mean_pass_at_k(cases, k) for k in (1, 2, 3, 4)],
    }


def alphas() -> dict[str, Any]:
    levels = ("nominal", "ordinal", "interval", "ratio")
    values = {level: agreement.krippendorff_alpha(UNITS, level) for level in levels}
    published = ", ".join(f"{level} {value:.3f}".replace("0.", ".") for level, value in values.items())
    return {**values, "published": published}


def predictions() -> dict[str, Any]:
    labels, judged = [1] * 7 + [0] * 3, [1] * 6 + [0] + [1] + [0] * 2
    rest = [1] * 26 + [0] * 14
    plain, plain_range = agreement.predicted_mean(labels, judged, rest, tuned=False)
    tuned, tuned_range = agreement.predicted_mean(labels, judged, rest)
    return {"ppi_lambda1": [plain], "ppi_pp": [tuned], "ci95_lambda1": plain_range, "ci95_pp": tuned_range}


def judge_and_human() -> dict[str, Any]:
    judge = [1, 1, 0, 1, 0, 0, 1, 1, 0, 1]
    human = [1, 1, 0, 0, 0, 1, 1, 1, 0, 1]
    same = sum(a == b for a, b in zip(judge, human, strict=True)) / len(judge)
    return {"judge": judge, "human": human, "agreement": same, "kappa": agreement.cohen_kappa(judge, human)}


def weighted_kappas() -> dict[str, Any]:
    pair = [1, 2, 3, 4, 5, 3], [1, 3, 3, 4, 4, 2]
    return {
        "linear": agreement.cohen_kappa(*pair, "linear"),
        "quadratic": agreement.cohen_kappa(*pair, "quadratic"),
    }


def e_value(wins: int, losses: int) -> dict[str, Any]:
    return {
        "value": float(eprocess.mixture_e_value(wins, losses)),
        "fixed_bet_lambda_half": float(eprocess.fixed_e_value(wins, losses)),
    }


def stakes() -> dict[str, Any]:
    bets = betting.stakes(COINS, 0.025)
    return {"first5": bets[:5], "last": bets[-1]}


def hedged() -> dict[str, Any]:
    course = betting.capital(COINS, 0.5)
    return {"first5": course[:5], "last": course[-1], "max": max(course)}


def both_hedges_added() -> dict[str, Any]:
    up, down = (
        betting.capital(values, 0.5, alpha=0.025, upward=1)[-1] for values in (COINS, mirrored(COINS))
    )
    return {"last": (up + down) / 2}


def mirrored(values: list[int]) -> list[int]:
    return [1 - value for value in values]


def sequence() -> dict[str, Any]:
    found = betting.confidence_sequence(COINS)
    return {"l_5_10_20": [found[i][0] for i in (4, 9, 19)], "u_5_10_20": [found[i][1] for i in (4, 9, 19)]}


def differences() -> dict[str, Any]:
    gaps = [0, 1, 0, 1, 0, 0, 1, 1, -1, 0, 1, 0, 1, 0, 1]
    course = betting.capital([(gap + 1) / 2 for gap in gaps], 0.5, upward=1)
    assert betting.evidence_of_gain(gaps) == course[-1]
    return {"last": course[-1], "max": max(course)}


def beta_pairs() -> dict[str, Any]:
    found = {"exact_independent": probability_above((14, 20), (17, 20))}
    theirs = VECTORS["bayes_evals P(new>old), 200k samples, seed 0 (MC error ~.002)"]
    assert abs(theirs["independent"] - found["exact_independent"]) < 0.003
    return {**theirs, **found}


def miller() -> dict[str, Any]:
    return {
        "K1": cases_to_see(0.03, between=1 / 9, within=1 / 3, runs=1),
        "K10": cases_to_see(0.03, between=1 / 9, within=1 / 3, runs=10),
        "omega_only": cases_to_see(0.03, between=1 / 9, within=0.0, runs=1),
    }


OURS: dict[str, Callable[[], dict[str, Any]]] = {
    "P(theta_B>theta_A) uniform priors A=2/3 B=3/3": lambda: {"value": probability_above((2, 3), (3, 3))},
    "P(theta_B>theta_A) uniform priors A=7/10 B=9/10": lambda: {"value": probability_above((7, 10), (9, 10))},
    "P(theta_B>theta_A) uniform priors A=30/60 B=39/60": lambda: {
        "value": probability_above((30, 60), (39, 60))
    },
    "paired data": lambda: {
        "A": A,
        "B": B,
        "mean_diff": intervals.mean_of(GAPS),
        "sd_diff": sqrt(intervals.variance_of(GAPS)),
        "se": sqrt(intervals.variance_of(GAPS) / len(GAPS)),
    },
    "paired t two-sided": paired_t,
    "exact sign-flip permutation": flips,
    "wilcoxon signed-rank": lambda: signed_ranks([b - a for a, b in zip(A, B, strict=True)]),
    "exact bootstrap SE": lambda: {"value": sqrt(intervals.variance_of(GAPS, 0) / len(GAPS))},
    "within-case exact permutation": shuffled,
    "fisher one-sided drop baseline 3/3 -> 0/3": lambda: {"p": multiple.fisher_drop(3, 3, 0, 3)},
    "fisher one-sided drop baseline 5/5 -> 1/5": lambda: {"p": multiple.fisher_drop(5, 5, 1, 5)},
    "fisher one-sided drop baseline 10/10 -> 3/5": lambda: {"p": multiple.fisher_drop(10, 10, 3, 5)},
    "fisher one-sided drop baseline 9/10 -> 1/5": lambda: {"p": multiple.fisher_drop(9, 10, 1, 5)},
    "McNemar exact b=1 c=6": lambda: mcnemar(1, 6),
    "McNemar exact b=0 c=5": lambda: mcnemar(0, 5),
    "McNemar exact b=3 c=10": lambda: mcnemar(3, 10),
    "clustered SE": clustered,
    "runs matrix 5x3": matrix,
    "tau-bench gpt-4o airline": airline,
    "Cohen kappa judge vs human": judge_and_human,
    "Cohen weighted kappa": weighted_kappas,
    "Fleiss kappa": lambda: {"kappa": agreement.fleiss_kappa(VOTES)},
    "Krippendorff alpha (Krippendorff 2011": alphas,
    "Krippendorff alpha nominal": lambda: {"value": agreement.krippendorff_alpha(VOTES)},
    "BH/Holm/Bonferroni": corrections,
    "Rogan-Gladen": lambda: {"corrected": agreement.corrected_rate(0.8, 0.9, 0.85)},
    "  plug-in SE": lambda: {
        "se": agreement.corrected_se(0.8, 200, agreement.Calibration(50, 45, 50, 42.5))  # type: ignore[arg-type]
    },
    "PPI mean": predictions,
    "paired-t power": lambda: {
        "power": paired_t_power(0.5, 20),
        "n_for_80": paired_t_cases(0.5),
    },
    "Miller sample size": miller,
    "confseq lambda_predmix_eb": stakes,
    "confseq betting_mart(x, m=.5": hedged,
    "  same with convex_comb=True": both_hedges_added,
    "  one-sided theta=1, m=.4": lambda: {"last": betting.capital(COINS, 0.4, upward=1)[-1]},
    "confseq betting_cs": sequence,
    "paired differences D=": differences,
    "bayes_evals.independent_intervals": lambda: {
        "old": intervals.beta_interval(14, 20),
        "new": intervals.beta_interval(17, 20),
    },
    "bayes_evals P(new>old)": beta_pairs,
    "Tango score CI (true, numeric) b=5 c=2 n=20": lambda: {"ci": intervals.tango(5, 2, 20)},
    "Tango score CI (true, numeric) b=0 c=0 n=10": lambda: {"ci": intervals.tango(0, 0, 10)},
    "Tango score CI (true, numeric) b=12 c=2 n=44": lambda: {"ci": intervals.tango(12, 2, 44)},
}


def mcnemar(lost: int, gained: int) -> dict[str, Any]:
    both, one = multiple.mcnemar(lost, gained)
    return {"statistic": min(lost, gained), "p_two_sided": both, "p_one_sided": one}


def computed(name: str) -> dict[str, Any]:
    """What the package says of an entry: the families by the numbers in their name, the rest by `OURS`."""
    numbers = [int(number) for number in re.findall(r"\b\w+=(\d+)\b", name)]
    if name.startswith("interval95"):
        return four_intervals(*numbers)
    if name.startswith("pass n="):
        runs, hits, k = numbers
        return {"pass_at_k": passk.pass_at_k(runs, hits, k), "pass_hat_k": passk.pass_hat_k(runs, hits, k)}
    if name.startswith("one-sided mixture e-value"):
        return e_value(*numbers)
    return next(compute for start, compute in OURS.items() if name.startswith(start))()


def compared(name: str) -> Iterator[str]:
    if not any(name.startswith(start) for start in ELSEWHERE):
        yield name


@pytest.mark.parametrize("name", [found for name in VECTORS for found in compared(name)])
def test_the_package_agrees_with_the_reference(name: str) -> None:
    assert computed(name) == approximately(VECTORS[name], 2e-5 if "paired t two-sided" in name else 1e-9)


def approximately(value: Any, tolerance: float) -> Any:
    if isinstance(value, dict):
        return {key: approximately(part, tolerance) for key, part in value.items()}
    if isinstance(value, list):
        return Sequenced([approximately(part, tolerance) for part in value])
    return pytest.approx(value, rel=1e-8, abs=max(tolerance, 1.01e-9)) if isinstance(value, float) else value


class Sequenced(list[Any]):
    """A list that equals a tuple of the same values: an interval is one."""

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | tuple) else False

    __hash__ = None  # type: ignore[assignment]


def test_the_wilcoxon_reference_breaks_ties_by_float_dust() -> None:
    assert signed_ranks(GAPS) == {"statistic": 24.5, "p": 0.0546875}, "0.8 - 0.6 and 0.4 - 0.2 are a tie"


def test_every_entry_is_either_ours_or_left_out_with_a_reason() -> None:
    left_out = [name for name in VECTORS if any(name.startswith(start) for start in ELSEWHERE)]
    assert len(left_out) == 7
    assert all(ELSEWHERE.values())
