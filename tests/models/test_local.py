"""The embedded model on its smallest named file, which is fetched (98 MB) where it is not here yet."""

import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from assay.errors import ModelMissing, TrialFailed, UsageError
from assay.models import Message, Request, open_model
from assay.models.cache import models_folder
from assay.models.catalog import named
from assay.models.pull import pull

PROMPTS = [
    "Say hello.",
    "Name a colour.",
    "What is 2 plus 2?",
    "Write a word.",
    "Is fire hot?",
    "Name a city.",
]


@pytest.fixture(scope="session")
def folder():
    folder = models_folder(os.environ, sys.platform)
    pull(named("smollm2-135m"), folder)
    return folder


@pytest.fixture
def model(folder):
    model = open_model("smollm2-135m", folder=folder, workers=1, context=1024)
    yield model
    model.close()


def ask(model, text, **settings):
    return model.complete(Request((Message("user", text),), **{"max_tokens": 8, **settings}))


@pytest.mark.local_model
def test_alias_is_kept_as_asked_for_and_the_answer_names_the_model(folder, tmp_path):
    # the default model is too large for this suite: the alias is looked at, not asked
    from assay.models.local import LocalModel, catalogued

    model = LocalModel(catalogued(named("smollm2-135m"), folder / named("smollm2-135m").file), name="local")
    assert model.name == "local"
    assert ask(model, "hi", max_tokens=1).model == "smollm2-135m"
    model.close()


def workers_of_this_process():
    children = psutil.Process().children()
    return [child for child in children if "assay.models.worker" in " ".join(child.cmdline())]


def test_missing_model_is_named_before_anything_starts(tmp_path):
    with pytest.raises(ModelMissing, match="assay models pull smollm2-135m"):
        open_model("smollm2-135m", folder=tmp_path)


def test_other_files_must_be_there_and_be_gguf(tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"PK\3\4")
    with pytest.raises(UsageError, match="is not a GGUF file"):
        open_model(f"gguf:{tmp_path / 'x.gguf'}", folder=tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        open_model(f"gguf:{tmp_path / 'y.gguf'}", folder=tmp_path)


def test_damaged_file_is_a_fault_of_the_setup_and_starts_nothing_for_long(tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + bytes(100))
    model = open_model(f"gguf:{tmp_path / 'x.gguf'}", folder=tmp_path)
    with pytest.raises(TrialFailed, match=r"x\.gguf could not be loaded"):
        ask(model, "hi")
    assert workers_of_this_process() == []


@pytest.mark.local_model
def test_answers_do_not_depend_on_process_order_or_company(folder, model):
    alone = {prompt: ask(model, prompt).text for prompt in PROMPTS}
    other = open_model("smollm2-135m", folder=folder, workers=2, context=1024)
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda prompt: ask(other, prompt).text, reversed(PROMPTS)))
    other.close()
    assert dict(zip(reversed(PROMPTS), together, strict=True)) == alone
    assert all(alone.values())


@pytest.mark.local_model
def test_one_process_serves_a_lone_caller_and_ends_with_the_model(folder):
    model = open_model("smollm2-135m", folder=folder, workers=2, context=1024)
    assert workers_of_this_process() == []
    ask(model, "hi")
    ask(model, "hi")
    assert len(workers_of_this_process()) == 1
    model.close()
    assert workers_of_this_process() == []


@pytest.mark.local_model
def test_grammar_and_schema_bind_the_answer(model):
    assert ask(model, "Is water wet?", grammar='root ::= "yes" | "no"').text in ("yes", "no")
    schema = {"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"]}
    answer = json.loads(ask(model, "Is water wet?", schema=schema, max_tokens=32).text)
    assert isinstance(answer["met"], bool)


@pytest.mark.local_model
def test_usage_is_counted_and_costs_nothing(model):
    answer = ask(model, "Tell a story.", max_tokens=5)
    assert answer.usage.output_tokens == 5
    assert answer.usage.input_tokens > 5
    assert answer.usage.cost_usd == 0
    assert answer.stopped == "length"
    assert answer.model == "smollm2-135m"


@pytest.mark.local_model
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"text": "word " * 3000}, "exceeds the available context size (1024 tokens)"),
        ({"text": "hi", "grammar": "root ::= (("}, "failed to parse grammar"),
        ({"text": "hi", "schema": {"type": "wrong"}}, "unrecognized type wrong"),
    ],
    ids=["longer than the context", "bad grammar", "bad schema"],
)
def test_request_that_can_never_be_answered_is_a_fault_of_the_setup_and_the_model_lives(
    model, settings, told
):
    with pytest.raises(TrialFailed) as failed:
        ask(model, **settings)
    assert failed.value.fault.kind == "setup"
    assert told in failed.value.fault.message
    assert ask(model, "hi").text


@pytest.mark.local_model
def test_dead_process_fails_its_call_and_is_replaced(model):
    before = ask(model, "hi").text
    (worker,) = workers_of_this_process()
    worker.kill()
    with pytest.raises(TrialFailed) as failed:
        ask(model, "hi")
    assert failed.value.fault.kind == "harness"
    assert "exit code -9" in failed.value.fault.message
    assert ask(model, "hi").text == before


@pytest.mark.local_model
def test_answer_that_takes_too_long_is_stopped(model):
    ask(model, "hi")
    (slow,) = workers_of_this_process()
    with pytest.raises(TrialFailed) as failed:
        ask(model, "Tell a story.", max_tokens=900, timeout_s=0.05)
    assert failed.value.fault.kind == "api_timeout"
    assert not slow.is_running()
    assert ask(model, "hi").text


@pytest.mark.local_model
def test_stamp_and_settings_say_what_answers(model):
    assert model.stamp.startswith("xllamacpp@2")
    assert model.stamp.endswith(" sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53")
    assert model.settings()["context"] == 1024
    assert model.settings()["threads"] == 1


@pytest.mark.local_model
def test_file_by_path_is_the_same_model_under_another_name(folder, model):
    other = open_model(f"gguf:{folder / named('smollm2-135m').file}", folder=folder, workers=1, context=1024)
    assert other.name == "gguf:smollm2-135m-instruct-q4_1.gguf"
    assert other.settings() == model.settings()
    assert ask(other, "hi").text == ask(model, "hi").text
    other.close()


CHILD = """
    import sys
    from pathlib import Path
    from assay.models import Message, Request, open_model

    model = open_model("smollm2-135m", folder=Path(sys.argv[1]), workers=1, context=4096)
    request = lambda tokens: Request((Message("user", "Tell a long story."),), max_tokens=tokens)
    model.complete(request(2))
    print(*(worker.pid for worker in model._pool._all), flush=True)
    if sys.argv[2] == "stay":
        model.complete(request(4000))
"""


def child(folder: Path, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(CHILD), str(folder), what]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.local_model
def test_process_ends_with_a_killed_parent_also_in_the_middle_of_an_answer(folder):
    with child(folder, "stay") as parent:
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    psutil.wait_procs([worker], timeout=20)
    assert not worker.is_running()


@pytest.mark.local_model
def test_nothing_of_the_runtime_reaches_the_error_stream(folder):
    with child(folder, "end") as parent:
        worker = psutil.Process(int(parent.stdout.readline()))
        assert parent.stderr.read() == ""
    assert parent.returncode == 0
    psutil.wait_procs([worker], timeout=20)
    assert not worker.is_running()
