"""A stand-in client and a plugin to change, for the tests of the Claude Code harness."""

import shutil
from pathlib import Path

import pytest

from support.claude import PLUGIN, Fake


@pytest.fixture
def fake(tmp_path):
    """A stand-in client."""
    folder = tmp_path / "client"
    folder.mkdir()
    return Fake(folder)


@pytest.fixture
def plugin(tmp_path):
    """A copy of the plugin, for tests that change it."""
    return Path(shutil.copytree(PLUGIN, tmp_path / "plugin"))
