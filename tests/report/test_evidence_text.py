"""The block below a report's table: a sentence, then the figures behind it, in 80 columns."""

from inline_snapshot import snapshot

from assay.report.evidence_text import evidence_lines
from assay.verdict.evidence import Circumstances, weigh
from assay.verdict.evidence_document import document_of


def test_the_sentence_comes_first_and_the_figures_stand_behind_it() -> None:
    trials = {
        f"c{number}": {
            "without": [(0, 1)] * (3 - old) + [(1, 1)] * old,
            "with": [(1, 1)] * new + [(0, 1)] * (3 - new),
        }
        for number, (old, new) in enumerate([(3, 3), (1, 3), (2, 3), (0, 2), (3, 3)])
    }
    found = weigh(trials, about=Circumstances(votes=[(True, True, False)]))
    assert found is not None
    assert "\n".join(evidence_lines(document_of(found))) == snapshot("""\
with improved on without by +0.33: luck alone does that in 2 of 100 such runs.
  95 % interval +0.06 to +0.61 on these cases; -0.08 to +0.75 on new cases like
                these
  likely        better 96 %, worse 4 %, within 0.02 either way 3 %
  by luck alone strict accepts 42 % of such runs; some case falls in 70 %
  judge         67 % of its votes on one output disagree; not calibrated\
""")


def test_what_an_older_document_lacks_is_left_out() -> None:
    assert list(evidence_lines({"verdict": "improved"})) == []
    assert list(evidence_lines({"sentence": "a\x1b[31m"}, "  ")) == ["  a�[31m"]
