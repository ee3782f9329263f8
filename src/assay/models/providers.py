"""Language models of providers, `provider:model`, through pydantic-ai, which is imported on first use.

Nothing is retried here: the engine knows what a retry costs, and shares one back-off among all trials.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import CannotRun, TrialFailed, UsageError
from assay.model import Fault, Usage
from assay.models import Completion, Request
from assay.models.prices import Price, cost_usd
from assay.models.provider_faults import fault_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Mapping

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ANSWER = "answer"
"""The name of the tool that a model answers a schema with."""
_UNREADABLE = (TypeError, ValueError, AttributeError, LookupError)
"""What the library raises where a body is not what its provider promises."""


@dataclass(frozen=True, slots=True)
class Access:
    """How providers are reached. The command line fills it from the environment."""

    keys: Mapping[str, str] = field(default_factory=dict)
    """Provider → API key."""
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Provider → base URL, where it is not the provider's own."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """The user's own prices: model, with or without its provider, → price."""


class ProviderModel:
    """One model of one provider. Usable from any number of threads: its calls share one event loop."""

    concurrency: int | None = None
    is_free = False

    def __init__(self, provider: str, model: str, access: Access) -> None:
        """Raises `UsageError` for an unknown provider, `CannotRun` where the extra or a key is missing."""
        self.name = f"{provider}:{model}"
        self._base_url = access.base_urls.get(provider)
        self._prices = access.prices
        self._model = _build(provider, model, access)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @property
    def stamp(self) -> str:
        return self.name

    def settings(self) -> dict[str, Any]:
        return {"model": self.name, "base_url": self._base_url}

    def complete(self, request: Request) -> Completion:
        """The model's answer, with its usage, and its cost where a price is known.

        Raises `TrialFailed` with the kind of fault that the provider's answer stands for.
        """
        from pydantic_ai.exceptions import AgentRunError, UserError

        if request.grammar is not None:
            raise TrialFailed(Fault("setup", f"{self.name}: only the embedded model follows a grammar"))
        try:
            response = self._run(self._ask(request), request.timeout_s)
        except TimeoutError:
            message = f"{self.name}: no answer within {request.timeout_s:g} s"
            raise TrialFailed(Fault("api_timeout", message)) from None
        except (AgentRunError, UserError) as error:
            raise TrialFailed(fault_of(self.name, error)) from error
        except _UNREADABLE as error:
            message = f"{self.name}: the answer could not be read: {type(error).__name__}: {error}"
            raise TrialFailed(Fault("server", message)) from error
        return self._completion(response)

    def close(self) -> None:
        """End the event loop; connections end with it."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop:
            loop.call_soon_threadsafe(loop.stop)

    async def _ask(self, request: Request) -> ModelResponse:
        import asyncio
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a setting that a model does not have is left out by the library
            asked = self._model.request(_messages(request), _settings(request), _parameters(request))
            return await asyncio.wait_for(asked, request.timeout_s)

    def _run(self, asked: Coroutine[Any, Any, ModelResponse], timeout_s: float) -> ModelResponse:
        import asyncio

        future = asyncio.run_coroutine_threadsafe(asked, self._started_loop())
        try:
            return future.result(timeout_s + 5)
        except BaseException:
            future.cancel()
            raise

    def _started_loop(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), daemon=True).start()
            return self._loop

    def _completion(self, response: ModelResponse) -> Completion:
        text = _text(response)
        if not text:
            raise TrialFailed(Fault("empty", f"{self.name}: empty answer ({response.finish_reason or 'no'})"))
        spent = response.usage
        usage = Usage(
            input_tokens=spent.input_tokens or None,  # the library says 0 for what was not reported
            output_tokens=spent.output_tokens or None,
            cache_read_tokens=spent.cache_read_tokens or None,
            cache_write_tokens=spent.cache_write_tokens or None,
        )
        usage = replace(usage, cost_usd=cost_usd(self.name, usage, self._prices))
        stopped: Literal["end", "length"] = "length" if response.finish_reason == "length" else "end"
        return Completion(text, usage, response.model_name or self.name, stopped)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _build(provider: str, model: str, access: Access) -> Model:
    if provider not in _BUILDERS:
        names = ", ".join(f"{name}:…" for name in _BUILDERS)
        raise UsageError(
            f"--model {provider}:{model}: no provider is called {provider!r}; there are: {names} "
            "(openai:… with a base URL serves whatever speaks its chat completions)"
        )
    base_url = access.base_urls.get(provider)
    key = access.keys.get(provider) or ("none" if base_url else None)
    try:
        version("pydantic-ai-slim")
        if key is None:
            raise CannotRun(f"--model {provider}:{model} needs an API key: set {_KEY_VARIABLES[provider]}")
        return _BUILDERS[provider](model, key, base_url)
    except (ImportError, PackageNotFoundError) as error:
        raise CannotRun(
            f"--model {provider}:{model} needs packages that are not installed: pip install 'assay[models]'"
        ) from error


def _anthropic(model: str, key: str, base_url: str | None) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0)
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def _openai(model: str, key: str, base_url: str | None) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))


def _google(model: str, key: str, base_url: str | None) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(model, provider=GoogleProvider(api_key=key, base_url=base_url))


_BUILDERS = {"anthropic": _anthropic, "openai": _openai, "google-gla": _google}
_KEY_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "google-gla": "GEMINI_API_KEY",
}
"""What the message about a missing key names; they are read by the command line."""


def _messages(request: Request) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    messages: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "assistant":
            messages.append(ModelResponse(parts=[TextPart(message.content)]))
        else:
            part = SystemPromptPart if message.role == "system" else UserPromptPart
            messages.append(ModelRequest(parts=[part(message.content)]))
    return messages


def _settings(request: Request) -> ModelSettings:
    from pydantic_ai.settings import ModelSettings

    return ModelSettings(
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        seed=request.seed,
        timeout=request.timeout_s,
    )


def _parameters(request: Request) -> ModelRequestParameters:
    """A schema goes out as the one tool that the model must answer with: every provider has these."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    if request.schema is None:
        return ModelRequestParameters()
    tool = ToolDefinition(name=ANSWER, description="Gives the answer.", kind="output")
    tool.parameters_json_schema = dict(request.schema)
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _text(response: ModelResponse) -> str:
    """What was said, or the arguments of the tool that stands for a schema, as JSON."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    for part in response.parts:
        if isinstance(part, ToolCallPart) and part.tool_name == ANSWER:
            return part.args_as_json_str()
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))
