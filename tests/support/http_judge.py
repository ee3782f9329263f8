"""A judge on the Anthropic wire by plain HTTP: what the judges' graders ask in the tests."""

import json
import urllib.request
from dataclasses import dataclass

from assay.model import Usage
from assay.models import Completion


@dataclass(frozen=True)
class HttpJudge:
    url: str
    name: str
    concurrency: int | None = None
    is_free: bool = True

    @property
    def stamp(self):
        return self.name

    def settings(self):
        return {}

    def complete(self, request):
        system = "\n".join(one.content for one in request.messages if one.role == "system")
        messages = [
            {"role": one.role, "content": one.content} for one in request.messages if one.role != "system"
        ]
        body = {"model": self.name, "max_tokens": request.max_tokens, "system": system, "messages": messages}
        asked = urllib.request.Request(
            f"{self.url}/v1/messages",
            json.dumps(body).encode(),
            {"content-type": "application/json", "x-api-key": "scripted"},
        )
        with urllib.request.urlopen(asked, timeout=60) as response:
            answer = json.load(response)
        text = "".join(block.get("text", "") for block in answer["content"])
        return Completion(text, Usage(**answer["usage"]), answer["model"])

    def close(self):
        pass
