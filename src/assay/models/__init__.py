"""The one door to language models: the embedded local model, providers, and doubles for tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model import Usage
    from assay.models.providers import Access


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model. Settings that are None are the model's own defaults."""

    messages: tuple[Message, ...]
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 1
    schema: Mapping[str, Any] | None = None
    """A JSON Schema that the answer must follow."""
    grammar: str | None = None
    """A GBNF grammar (the embedded model only)."""
    timeout_s: float = 300


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    usage: Usage
    model: str
    """As the run itself reports it."""
    stopped: Literal["end", "length"] = "end"


class ChatModel(Protocol):
    """A language model, usable from any number of threads. `complete` raises `TrialFailed`."""

    name: str
    """As asked for: the key that bests and baselines are kept under."""
    concurrency: int | None
    """The most calls it can serve at once; None where it does not say."""
    is_free: bool
    """True where a call costs nothing (a model on this machine)."""

    @property
    def stamp(self) -> str:
        """What exactly answers: runtime version and file hash, or the provider's model id."""

    def settings(self) -> dict[str, Any]:
        """What of its set-up decides an answer, JSON-clean: part of a trial's key."""

    def complete(self, request: Request) -> Completion: ...

    def close(self) -> None: ...


def open_model(
    name: str,
    *,
    folder: Path,
    workers: int | None = None,
    context: int | None = None,
    access: Access | None = None,
) -> ChatModel:
    """The language model of that name, ready to be asked; nothing is loaded or sent before.

    | name | what |
    |---|---|
    | `local`, or a name of `assay models list` | an embedded model, its file in `folder` |
    | `gguf:PATH` | any other GGUF file |
    | `anthropic:MODEL`, `openai:MODEL`, `google-gla:MODEL` | a provider's model, reached by `access` |
    | `scripted:FILE`, `constant:TEXT` | a double for tests, see `assay.models.doubles` |

    `workers` (processes at most) and `context` (tokens) are for models on this machine. Raises `UsageError`
    for a name that is none, `ModelMissing` where the file is not here, `CannotRun` where an extra or a key is
    missing.
    """
    kind, colon, rest = name.partition(":")
    if colon and not rest:
        raise UsageError(f"--model {name}: expected something after the colon, as in gguf:PATH")
    if kind == "constant" and colon:
        from assay.models.doubles import ConstantModel

        return ConstantModel(rest)
    if kind == "scripted" and colon:
        from assay.models.doubles import ScriptedModel

        return ScriptedModel(Path(rest))
    if colon and kind != "gguf":
        from assay.models.providers import Access, ProviderModel

        return ProviderModel(kind, rest, access or Access())
    return _local(kind, rest, folder, workers, context)


def _local(name: str, path: str, folder: Path, workers: int | None, context: int | None) -> ChatModel:
    from assay.models.cache import require
    from assay.models.catalog import named
    from assay.models.local import CONTEXT, LocalModel, any_file, catalogued

    if name == "gguf":
        file, asked = any_file(Path(path).expanduser()), None
    else:
        model = named(name)
        file, asked = catalogued(model, require(model, folder)), name
    return LocalModel(file, name=asked, workers=workers, context=context or CONTEXT)
