import os
from pathlib import Path

import pytest

from assay.errors import ModelMissing, UsageError
from assay.models.cache import is_verified, models_folder, require
from assay.models.catalog import CATALOG, named


def test_folder_follows_the_variable_then_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models_folder({"ASSAY_MODELS_DIR": "/x/y"}, "linux") == Path("/x/y")
    assert models_folder({"XDG_CACHE_HOME": "/c"}, "linux") == Path("/c/assay/models")
    assert models_folder({"XDG_CACHE_HOME": "relative"}, "linux") == tmp_path / ".cache/assay/models"
    assert models_folder({}, "darwin") == tmp_path / "Library/Caches/assay/models"
    assert models_folder({"LOCALAPPDATA": "/local"}, "win32") == Path("/local/assay/Cache/models")


def test_missing_model_names_its_command_and_size(tmp_path):
    with pytest.raises(ModelMissing) as missing:
        require(named("local"), tmp_path)
    assert str(missing.value) == (
        "the model 'qwen2.5-coder-0.5b' is not on this machine; "
        "fetch it (491 MB) with: assay models pull qwen2.5-coder-0.5b"
    )
    assert missing.value.exit_code == 3


def test_unknown_name_lists_the_names():
    with pytest.raises(UsageError, match=r"'qwen2\.5-coder-0\.5b', 'qwen2\.5-coder-1\.5b', 'smollm2-135m'"):
        named("gpt")


def test_verified_file_is_not_hashed_again_while_size_and_time_stay(tiny, tmp_path):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(bytes(range(256)) * 400)
    assert is_verified(tiny(), tmp_path)
    before = path.stat()
    path.write_bytes(b"x" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert is_verified(tiny(), tmp_path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert not is_verified(tiny(), tmp_path)


def test_stamp_of_another_hash_does_not_vouch_for_a_file(tiny, tmp_path):
    (tmp_path / "tiny.gguf").write_bytes(bytes(range(256)) * 400)
    assert is_verified(tiny(), tmp_path)
    assert not is_verified(tiny(sha256="0" * 64), tmp_path)


def test_wheels_of_the_catalogue_add_up_to_its_files():
    for model in CATALOG:
        assert sum(wheel.size for wheel in model.wheels) == model.size
        assert all(wheel.size > 0 for wheel in model.wheels)
        assert len(model.sha256) == 64
        assert model.hub is not None
        assert len(model.hub.revision) == 40
        assert "Apache License, Version 2.0" in model.notice
