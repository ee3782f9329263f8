"""Figures: what is in them, as SVG and as PNG, whatever names hold."""

import io
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from assay.errors import UsageError
from assay.report.figures import KINDS, figure
from assay.report.history import history
from assay.report.summary import summarise
from assay.schemas.triggers import SkillTriggers, TriggerAnswer
from support.stored_runs import run_of, trial_of

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")

SVG = "{http://www.w3.org/2000/svg}"
ODD = "$\\frac{1}$ <&> _^{ \x1b[31m"


def parts(cases, name="x"):
    runs = [run_of(cases, run_id=f"r{n}", name=name, started=f"2026-11-{n:02}T10:00:00Z") for n in (1, 2, 3)]
    records = [trial_of("r3", case, arm, scores[arm == "without"])[0] for case, scores in cases.items() for arm in ("with", "without")]  # fmt: skip
    skill = SkillTriggers(name, (TriggerAnswer("a", True, True), TriggerAnswer("b", True, False), TriggerAnswer("c", False, False)))  # fmt: skip
    summary = replace(summarise(runs[-1], records), triggers=(skill,))
    return summary, history(runs[-1], runs)


def words(svg):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_a_picture_in_both_formats(kind):
    from PIL import Image

    summary, points = parts({"easy": (1.0, 0.5), "hard": (0.25, 0.5)})
    light, dark = (
        Image.open(io.BytesIO(figure(kind, summary, points, "png", dark=dark))) for dark in (False, True)
    )
    assert light.getpixel((2, 2))[:3] == (255, 255, 255)
    assert dark.getpixel((2, 2))[:3] == (0x1D, 0x20, 0x24)
    assert min(light.size) > 200
    assert figure(kind, summary, points, "svg") == figure(kind, summary, points, "svg")


def test_each_kind_says_what_it_shows():
    summary, points = parts({"easy": (1.0, 0.5), "hard": (0.25, 0.5)})
    said = {kind: words(figure(kind, summary, points, "svg")) for kind in KINDS}
    assert said["cases"].index("hard") < said["cases"].index("easy")
    assert "x: worst first" in said["cases"]
    assert {"with", "without"} < set(said["cases"])
    assert {"2026-11-01", "2026-11-03", "x: 3 runs on m"} < set(said["history"])
    assert {"should fire", "kept quiet", "1", "0"} < set(said["triggers"])
    assert {"$0.02", "x: $0.04 in all"} < set(said["cost"])


def test_names_are_text_and_long_ones_are_cut():
    summary, points = parts({"easy": (1.0, 0.5)}, name="x")
    odd = replace(summary, name=ODD, cases=tuple(replace(case, id=ODD + "n" * 90) for case in summary.cases))
    for kind in KINDS:
        told = " ".join(words(figure(kind, odd, points, "svg")))
        assert "\x1b" not in told
    assert "$\\frac{1}$ <&> _^{" in " ".join(words(figure("cases", odd, points, "svg")))
    assert all(len(word) < 80 for word in words(figure("cases", odd, points, "svg")))


def test_of_many_cases_the_worst_are_drawn_and_it_says_so():
    summary, points = parts({f"case-{n:03}": (n / 200, 0.5) for n in range(200)})
    said = words(figure("cases", summary, points, "svg"))
    assert "x: the worst 60 of 200 cases" in said
    assert "case-000" in said
    assert "case-199" not in said


def test_nothing_to_draw_is_an_error_not_an_empty_picture():
    summary, _ = parts({})
    nothing = replace(summary, cases=(), triggers=())
    for kind in KINDS:
        with pytest.raises(UsageError):
            figure(kind, nothing, (), "svg")
