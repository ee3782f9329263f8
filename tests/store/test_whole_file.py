"""A whole file is there or not there, also when the writer dies."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from assay.errors import StoreError
from assay.store.whole_file import RealDisk, locked, write_json, write_whole


def test_text_is_written_as_utf8_with_its_line_ends(tmp_path: Path) -> None:
    write_whole(tmp_path / "deep" / "a.md", "grün\n")
    assert (tmp_path / "deep" / "a.md").read_bytes() == "grün\n".encode()


def test_json_is_readable_and_ends_with_a_line_end(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"name": "é", "best": {}})
    assert (tmp_path / "a.json").read_text("utf-8") == '{\n  "name": "é",\n  "best": {}\n}\n'


def test_a_list_of_numbers_stands_on_one_line_and_strings_are_left_alone(tmp_path: Path) -> None:
    document = {"trials": [[1, 2.5], [-1e-9, 0]], "text": "[\n  1\n]", "words": ["a"], "none": []}
    write_json(tmp_path / "a.json", document)
    text = (tmp_path / "a.json").read_text("utf-8")
    assert json.loads(text) == document
    assert '"trials": [\n    [1, 2.5],\n    [-1e-9, 0]\n  ]' in text


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "1")
    write_whole(tmp_path / "a", "2")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_mode_of_an_existing_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1", "utf-8")
    (tmp_path / "a").chmod(0o640)
    write_whole(tmp_path / "a", "2")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("1", "utf-8")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text("utf-8") == "2"


class FullDisk(RealDisk):
    def write(self, path: Path, content: bytes) -> None:
        path.write_bytes(content[: len(content) // 2])
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_one_message_and_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old", "utf-8")
    with pytest.raises(StoreError, match=r"a\.json could not be written: No space left on device"):
        write_whole(target, "new", FullDisk())
    assert target.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_is_one_message(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="Permission denied"):
            write_whole(tmp_path / "a", "1")
    finally:
        tmp_path.chmod(0o700)


DYING = """
import os, signal, sys
from pathlib import Path
from assay.store.whole_file import RealDisk, write_whole

class DyingDisk(RealDisk):
    def write(self, path, content):
        if sys.argv[2] == "in the write":
            path.write_bytes(content[:2])
            os.kill(os.getpid(), signal.SIGKILL)
        super().write(path, content)
    def rename(self, source, target):
        if sys.argv[2] == "before the rename":
            os.kill(os.getpid(), signal.SIGKILL)
        super().rename(source, target)
        os.kill(os.getpid(), signal.SIGKILL)

write_whole(Path(sys.argv[1]), "new text", DyingDisk())
"""


@pytest.mark.parametrize(
    ("death", "found"),
    [("in the write", "old"), ("before the rename", "old"), ("after the rename", "new text")],
)
def test_a_killed_writer_leaves_the_old_or_the_new_file(tmp_path: Path, death: str, found: str) -> None:
    target = tmp_path / "a"
    target.write_text("old", "utf-8")
    child = subprocess.run([sys.executable, "-c", textwrap.dedent(DYING), str(target), death], check=False)
    assert child.returncode == -signal.SIGKILL
    assert target.read_text("utf-8") == found
    write_whole(target, "newer")
    assert [path.name for path in tmp_path.iterdir()] == ["a"], (
        "the next writer clears what the dead one left"
    )


APPENDING = """
import sys
from pathlib import Path
from assay.store.whole_file import locked, write_whole

target = Path(sys.argv[1])
for _ in range(20):
    with locked(target.parent):
        write_whole(target, str(int(target.read_text("utf-8")) + 1))
"""


def test_a_lock_keeps_two_processes_from_losing_each_others_writes(tmp_path: Path) -> None:
    target = tmp_path / "count"
    target.write_text("0", "utf-8")
    command = [sys.executable, "-c", APPENDING, str(target)]
    children = [subprocess.Popen(command) for _ in range(2)]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    assert target.read_text("utf-8") == "40"


def test_a_folder_that_is_not_there_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="could not be locked"), locked(tmp_path / "gone"):
        pass
