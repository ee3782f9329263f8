"""What the environment decides."""

from pathlib import Path

import pytest

from assay.cli.environment import session_model


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ANTHROPIC_MODEL", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"model": "from-home"}', "utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "settings.json").write_text('{"model": "from-config"}', "utf-8")
    return tmp_path


def test_the_variable_wins_over_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session_model() == "from-home"
    monkeypatch.setenv("ANTHROPIC_MODEL", "from-variable")
    assert session_model() == "from-variable"


def test_the_settings_may_lie_in_another_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "other"))
    assert session_model() == "from-config"


@pytest.mark.parametrize("settings", ["", "[]", "{}", '{"model": 1}', '{"model": ""}'])
def test_settings_without_a_model_say_nothing(home: Path, settings: str) -> None:
    (home / ".claude" / "settings.json").write_text(settings, "utf-8")
    assert session_model() is None
