"""The embedded model: a GGUF file in processes of one thread each, answers repeatable to the bit.

Repeatable means: one request at a time in a process, one thread, no prompt cache, temperature 0. It holds on
one build of the runtime and one kind of processor; both are in the stamp and the system line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import CannotRun, TrialFailed, UsageError
from assay.model import JSON, Fault, Usage
from assay.models import Completion, Request
from assay.models.cache import hash_of
from assay.models.pool import Pool
from assay.models.worker_process import Setup, WorkerDied, WorkerTimeout

if TYPE_CHECKING:
    from assay.models.catalog import NamedModel

CONTEXT = 8192
"""Tokens of prompt and answer together, unless asked for otherwise."""
THREADS = 1
WORKER_OVERHEAD = 350_000_000
"""Bytes that a process takes beside the model file: runtime, context and buffers."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file that can be loaded. `sha256` is None where nobody has computed it yet."""

    name: str
    path: Path
    sha256: str | None


def catalogued(model: NamedModel, path: Path) -> ModelFile:
    """The verified file of a model known by name."""
    return ModelFile(model.name, path, model.sha256)


def any_file(path: Path) -> ModelFile:
    """Any other GGUF file. Raises `UsageError` where it is not there or not one."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UsageError(f"gguf:{path.as_posix()} cannot be read: {error.strerror or error}") from error
    if magic != b"GGUF":
        raise UsageError(f"{path.as_posix()} is not a GGUF file (it begins with {magic!r})")
    return ModelFile(f"gguf:{path.name}", path, None)


class LocalModel:
    """A language model on this machine, started on first use. Usable from any number of threads."""

    is_free = True

    def __init__(
        self, file: ModelFile, *, name: str | None = None, workers: int | None = None, context: int = CONTEXT
    ) -> None:
        """`name`: as asked for, where that is an alias. `workers`: processes at most; by default as many as
        cores and free memory bear.

        Raises `CannotRun` where the runtime is not installed.
        """
        self.name = name or file.name
        self.concurrency: int | None = workers or default_workers(file.path.stat().st_size)
        self.system: str | None = None
        """The CPU features that the runtime uses; None until the model was used."""
        self._runtime = f"xllamacpp@{_runtime_version()}"
        self._file = file
        self._setup = Setup(file.path, context, THREADS)
        self._pool = Pool(self._setup, self.concurrency)

    @property
    def stamp(self) -> str:
        return f"{self._runtime} sha256:{self._sha256}"

    def settings(self) -> dict[str, Any]:
        return {
            "runtime": self._runtime,
            "file": f"sha256:{self._sha256}",
            "context": self._setup.context,
            "threads": self._setup.threads,
        }

    def complete(self, request: Request) -> Completion:
        """The model's answer.

        Raises `TrialFailed`: `api_timeout` where it took longer than asked, `harness` where its process died
        (the next call gets a new one), `setup` where the request can never be answered: longer than the
        context, or a grammar or schema that the runtime does not read.
        """
        try:
            with self._pool.worker() as worker:
                self.system = worker.system
                reply = worker.call(_frame(request), request.timeout_s)
        except WorkerTimeout as error:
            raise TrialFailed(Fault("api_timeout", f"{self.name}: {error}")) from error
        except WorkerDied as error:
            raise TrialFailed(Fault("harness", f"{self.name}: {error}")) from error
        if "error" in reply:
            raise TrialFailed(Fault("setup", f"{self.name}: {_explain(reply)}"))
        usage = Usage(reply["input_tokens"], reply["output_tokens"], cost_usd=0.0)
        stopped: Any = "end" if reply["stop"] == "stop" else "length"
        return Completion(reply["text"], usage, self._file.name, stopped)

    def close(self) -> None:
        """End every process."""
        self._pool.close()

    @cached_property
    def _sha256(self) -> str:
        return self._file.sha256 or hash_of(self._file.path)


def default_workers(file_size: int) -> int:
    """One process a core, and no more than half of the free memory bears; at least one.

    `file_size` in bytes. The file's mapping is shared, but the runtime repacks most weights for itself.
    """
    import psutil

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    bearable = psutil.virtual_memory().available // 2 // (file_size + WORKER_OVERHEAD)
    return max(1, min(cores, bearable))


def _frame(request: Request) -> JSON:
    frame: dict[str, JSON] = {
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "cache_prompt": False,
    }
    if request.grammar is not None:
        frame["grammar"] = request.grammar
    if request.schema is not None:
        shape = {"name": "answer", "schema": dict(request.schema)}
        frame["response_format"] = {"type": "json_schema", "json_schema": shape}
    return frame


def _explain(reply: JSON) -> str:
    message: str = reply["error"]
    if reply.get("type") == "exceed_context_size_error":
        return f"{message} (the context a model is loaded with is part of its settings)"
    return message


def _runtime_version() -> str:
    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        raise CannotRun(
            "the embedded model needs its runtime, which is not installed: pip install 'assay[local]'"
        ) from None
