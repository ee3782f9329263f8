import pytest
from inline_snapshot import snapshot

from assay.errors import SuiteError
from assay.harnesses.feature import Feature
from assay.suites.features import load_features


def write(tmp_path, text):
    (tmp_path / "features.yml").write_text(text, "utf-8")
    return tmp_path


def test_no_file_is_no_feature(tmp_path):
    assert load_features(tmp_path) == {}
    assert load_features(write(tmp_path, "")) == {}


def test_every_key(tmp_path):
    text = """
summary:
  command: [python, app.py, "{input_file}"]
  timeout_seconds: 5
  env: {MODE: test}
  output: file:out.txt
  model: claude-x
api: {url: "http://127.0.0.1:80/x", body: text, output: $.answer}
"""
    assert load_features(write(tmp_path, text)) == {
        "summary": Feature(
            "summary",
            ("python", "app.py", "{input_file}"),
            timeout_s=5,
            env={"MODE": "test"},
            output="file:out.txt",
            model="claude-x",
        ),
        "api": Feature("api", url="http://127.0.0.1:80/x", body="text", output="$.answer"),
    }


def test_all_problems_at_once(tmp_path):
    text = """
a: {command: python app.py}
b: {command: [x], url: "http://h"}
c: {url: "ftp://h"}
d: {}
e:
  command: [x]
  timeout_second: 5
  env: {N: 1}
  output: answer
  body: xml
f: words
g: {url: "http://h:99999", timeout_seconds: -1, output: "$.["}
"""
    with pytest.raises(SuiteError) as caught:
        load_features(write(tmp_path, text))
    assert [str(problem).partition("/")[2] for problem in caught.value.problems] == snapshot(
        [
            "features.yml:2: 'command' is a list of words, such as [python, app.py], not 'python app.py'",
            "features.yml:3: 'b' needs `command` or `url`, one of them",
            "features.yml:4: 'url' is an http or https address, not 'ftp://h'",
            "features.yml:5: 'd' needs `command` or `url`, one of them",
            "features.yml:8: unknown key 'timeout_second'; did you mean 'timeout_seconds'? The keys are command, url, body, timeout_seconds, env, output, model",
            "features.yml:9: 'env' is names with texts, such as {MODE: test} (quote a number), not {'N': 1}",
            "features.yml:10: 'output' is all, a JSON path such as $.answer, or file:PATH, not 'answer'",
            "features.yml:11: 'body' is json or text, not 'xml'",
            "features.yml:12: 'f' holds keys: command, url, body, timeout_seconds, env, output, model",
            "features.yml:13: 'url' is an http or https address, not 'http://h:99999'",
            "features.yml:13: 'timeout_seconds' is a number above 0, not -1",
            "features.yml:13: 'output' is all, a JSON path such as $.answer, or file:PATH, not '$.['",
        ]
    )


@pytest.mark.parametrize("text", ["- a\n", "a: [\n", "a: {command: [x]}\na: {command: [y]}\n"])
def test_what_is_no_features_file_is_refused(tmp_path, text):
    with pytest.raises(SuiteError):
        load_features(write(tmp_path, text))
