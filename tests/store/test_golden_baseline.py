import json

import pytest
from inline_snapshot import snapshot

from assay.errors import StoreError, Unusable
from assay.schemas.golden_baseline import AcceptedSuite, GoldenBaseline, TaskUsage
from assay.store.golden_baseline import difference, read_baseline, write_baseline

BASELINE = GoldenBaseline(
    "2026-11-30",
    "claude-x",
    "claude@2.1.328",
    {
        "commits": AcceptedSuite(
            1.0,
            {"G-002": 0.5, "G-001": 0.9},
            {"G-001": ((9.0, 10.0), (1.0, 1.0)), "G-002": ((1.0, 2.0),)},
            {"G-001": TaskUsage(1200, 300, 0.01), "G-002": TaskUsage()},
        )
    },
    run="golden-20261130T120000Z",
)


def test_it_is_read_back_as_it_was_written(tmp_path):
    write_baseline(tmp_path, BASELINE)
    back = read_baseline(tmp_path)
    assert back.integrity == "intact"
    assert back.to_document() == BASELINE.to_document()


def test_the_file_reads_well(tmp_path):
    write_baseline(tmp_path, BASELINE)
    assert (tmp_path / "baseline.json").read_text("utf-8") == snapshot("""\
{
  "accepted": "2026-11-30",
  "digest": "sha256:42be20be92f8a515c6c35ef79884e78bea7bbacc92c447292e7ff095bb4afaaf",
  "harness": "claude@2.1.328",
  "model": "claude-x",
  "run": "golden-20261130T120000Z",
  "suites": {
    "commits": {
      "pass_rate": 1.0,
      "tasks": {
        "G-001": 0.9,
        "G-002": 0.5
      },
      "trials": {
        "G-001": [[9.0, 10.0], [1.0, 1.0]],
        "G-002": [[1.0, 2.0]]
      },
      "usage": {
        "G-001": {
          "cost_usd": 0.01,
          "gen_ai.usage.input_tokens": 1200,
          "gen_ai.usage.output_tokens": 300
        }
      }
    }
  }
}
""")


def test_guardrail_3_a_hand_edit_is_seen(tmp_path):
    write_baseline(tmp_path, BASELINE)
    path = tmp_path / "baseline.json"
    path.write_text(path.read_text("utf-8").replace('"G-001": 0.9', '"G-001": 0.1'), "utf-8")
    assert read_baseline(tmp_path).integrity == "edited"
    document = json.loads(path.read_text("utf-8"))
    del document["digest"]
    path.write_text(json.dumps(document), "utf-8")
    assert read_baseline(tmp_path).integrity == "unsigned"


def test_reformatting_is_no_edit(tmp_path):
    write_baseline(tmp_path, BASELINE)
    path = tmp_path / "baseline.json"
    path.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(json.loads(path.read_bytes())).replace(" ", "\r\n ").encode()
    )
    assert read_baseline(tmp_path).integrity == "intact"


def test_the_seeds_own_shape_is_read(tmp_path):
    text = '{"accepted": "2026-01-02", "model": "m", "harness": "h", "suites": {"s": {"pass_rate": 1, "tasks": {"G-001": 0.9}}}}'
    (tmp_path / "baseline.json").write_text(text, "utf-8")
    assert read_baseline(tmp_path).suites["s"].tasks == {"G-001": 0.9}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"usage": {"G-001": {"gen_ai.usage.input_tokens": "the prompt"}}}, "is not of type 'number'"),
        ({"usage": {"G-001": {"prompt": "text"}}}, "is not of type 'number'"),
        ({"tasks": {"G-001": 1.5}}, "greater than the maximum"),
        ({"tasks": {"G-001": None}}, "is not of type 'number'"),
        ({"pass_rate": "all"}, "is not of type 'number'"),
    ],
)
def test_guardrail_7_what_holds_text_or_no_score_is_refused(tmp_path, change, where):
    suite = {"pass_rate": 1, "tasks": {"G-001": 1}} | change
    document = {"accepted": "2026-01-02", "model": "m", "harness": "h", "suites": {"s": suite}}
    (tmp_path / "baseline.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(Unusable, match=where):
        read_baseline(tmp_path)


def test_nothing_accepted_is_none(tmp_path):
    assert read_baseline(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"accepted": "yesterday"}', "NaN"])
def test_what_is_no_baseline_is_unusable(tmp_path, text):
    (tmp_path / "baseline.json").write_text(text, "utf-8")
    with pytest.raises(Unusable, match=r"baseline\.json"):
        read_baseline(tmp_path)


def test_the_difference_is_a_diff_of_the_file(tmp_path):
    small = GoldenBaseline("2026-11-30", "m", "h@1", {"s": AcceptedSuite(1.0, {"G-001": 0.9})})
    evals = tmp_path / "evals"
    evals.mkdir()
    assert difference(evals, small).startswith("--- /dev/null\n+++ b/evals/baseline.json\n")
    write_baseline(evals, small)
    assert difference(evals, small) == ""
    later = GoldenBaseline("2026-11-30", "m", "h@1", {"s": AcceptedSuite(1.0, {"G-001": 1.0})})
    changed = [
        line for line in difference(evals, later).splitlines() if line[0] in "+-" and "digest" not in line
    ]
    assert changed == [
        "--- a/evals/baseline.json",
        "+++ b/evals/baseline.json",
        '-        "G-001": 0.9',
        '+        "G-001": 1.0',
    ]


def test_a_disk_that_refuses_leaves_what_was_there(tmp_path):
    write_baseline(tmp_path, BASELINE)
    before = (tmp_path / "baseline.json").read_bytes()
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StoreError):
        write_baseline(tmp_path / "file", BASELINE)
    assert (tmp_path / "baseline.json").read_bytes() == before
