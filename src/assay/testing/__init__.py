"""Doubles for tests of suites, harnesses and providers: a scripted model server on loopback.

with ScriptedServer(load_rules(Path("server.yaml"))) as server:
    environment["ANTHROPIC_BASE_URL"] = server.url
"""

from __future__ import annotations

from assay.testing.rules import Call, Failure, Rule, Rules, Turn, When, load_rules, parse_rules
from assay.testing.server import Logged, ScriptedServer

__all__ = [
    "Call",
    "Failure",
    "Logged",
    "Rule",
    "Rules",
    "ScriptedServer",
    "Turn",
    "When",
    "load_rules",
    "parse_rules",
]
