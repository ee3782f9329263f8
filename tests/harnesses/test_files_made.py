"""What a trial left in its workspace."""

from assay.harnesses import files_made as module
from assay.harnesses.files_made import files_below, files_made


def make(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_only_what_is_new_is_told_hidden_files_included(tmp_path):
    make(tmp_path, old=b"o")
    before = files_below(tmp_path)
    make(tmp_path, old=b"changed", new__a=b"a")
    make(tmp_path, **{".hidden": b"h"})
    assert [file.path for file in files_made(tmp_path, before)] == [".hidden", "new/a"]


def test_a_file_that_a_grader_reads_is_kept_but_not_created(tmp_path):
    make(tmp_path, old=b"o", other=b"x")
    (file,) = files_made(tmp_path, files_below(tmp_path), {"old", "gone"})
    assert (file.path, file.text, file.created) == ("old", "o", False)


def test_text_loses_its_bom_and_keeps_its_line_ends(tmp_path):
    make(tmp_path, a=b"\xef\xbb\xbfa\r\nb", latin=b"caf\xe9")
    texts = {file.path: file.text for file in files_made(tmp_path, frozenset())}
    assert texts == {"a": "a\r\nb", "latin": "caf\ufffd"}


def test_what_is_no_text_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TEXT_CAP", 20)
    make(tmp_path, bin=b"a\0b", png=b"\x89PNG\r\n\x1a\nrest", big=b"x" * 21, target=b"t")
    (tmp_path / "soft").symlink_to("target")
    (tmp_path / "hard").hardlink_to(tmp_path / "target")
    notes = {file.path: (file.text, file.note) for file in files_made(tmp_path, frozenset())}
    assert notes == {
        "bin": (None, "binary"),
        "png": (None, "image"),
        "big": (None, "over the cap"),
        "soft": (None, "link"),
        "hard": (None, "link"),
        "target": (None, "link"),
    }


def test_a_link_to_a_folder_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    make(outside, secret=b"s")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "way_out").symlink_to(outside)
    assert [(file.path, file.text) for file in files_made(inside, frozenset())] == [("way_out", None)]


def test_all_texts_together_are_capped(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TOTAL_CAP", 5)
    make(tmp_path, a=b"aaa", b=b"bbb", c=b"cc")
    assert [file.note for file in files_made(tmp_path, frozenset())] == [None, "over the cap", None]
