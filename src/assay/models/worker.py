"""The process that holds the embedded model: `python -m assay.models.worker`, spoken to over its pipes.

It gets its set-up as the first frame, then requests; it answers each in turn. It ends when its standard input
does, so it never outlives the run that started it, also when that was killed in the middle of an answer.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any

from assay.model import JSON
from assay.models.frames import read_frame, write_frame


def main() -> None:
    """Serve until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the runtime prints must not get among the frames
    frames: SimpleQueue[JSON] = SimpleQueue()
    threading.Thread(target=_listen, args=(frames,), daemon=True).start()
    try:
        server, system = _load(frames.get())
    except (RuntimeError, ValueError, ImportError) as error:
        write_frame(replies, {"error": str(error)})
        return
    write_frame(replies, {"system": system})
    while True:
        write_frame(replies, _answer(server, frames.get()))


def _listen(frames: SimpleQueue[JSON]) -> None:
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        frames.put(frame)
    os._exit(0)


def _load(setup: JSON) -> tuple[Any, str]:
    """The loaded model, set so that the same request gets the same answer, and the CPU features in use."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = setup["path"]
    params.n_ctx = setup["context"]
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = setup["threads"]
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.warmup = False
    params.use_jinja = True
    params.verbosity = -1
    params.ui = False
    params.api_keys = [secrets.token_hex(16)]  # the runtime opens a port on the loopback: nobody else's
    return xllamacpp.Server(params), xllamacpp.get_system_info().strip(" |\n")


def _answer(server: Any, request: JSON) -> JSON:
    """`text`, `stop` and token counts, or the runtime's `error` with its `type`."""
    try:
        reply = server.handle_chat_completions(request)
    except (RuntimeError, ValueError) as error:
        return {"error": str(error), "type": "invalid_request_error"}
    if "error" in reply:
        return {"error": reply["error"].get("message", ""), "type": reply["error"].get("type")}
    choice, usage = reply["choices"][0], reply["usage"]
    return {
        "text": choice["message"].get("content") or "",
        "stop": choice["finish_reason"],
        "input_tokens": usage["prompt_tokens"],
        "output_tokens": usage["completion_tokens"],
    }


if __name__ == "__main__":
    main()
