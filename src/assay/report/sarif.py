"""The findings of `assay check` as SARIF 2.1.0, which code hosts show on the lines of a change."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.report.printable import lines
from assay.suites.findings import RULES
from assay.version import __version__

if TYPE_CHECKING:
    from assay.model import JSON
    from assay.suites.findings import Finding, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0-rtm.5.json"


def sarif(findings: Iterable[Finding]) -> str:
    """A SARIF log of one run; paths are relative to the folder that `assay check` was called in."""
    found = list(findings)
    codes = [code for code in RULES if any(one.code == code for one in found)]
    run = {
        "tool": {
            "driver": {
                "name": "assay",
                "semanticVersion": __version__,
                "rules": [_rule(code, RULES[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, codes.index(one.code)) for one in found],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str, rule: Rule) -> JSON:
    mend = {"help": {"text": rule.mend}} if rule.mend else {}
    return {
        "id": code,
        "shortDescription": {"text": rule.title},
        **mend,
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(found: Finding, place: int) -> JSON:
    region = {} if found.line is None else {"region": {"startLine": found.line}}
    text = lines(f"{found.message}; {found.mend}" if found.mend else found.message)
    return {
        "ruleId": found.code,
        "ruleIndex": place,
        "level": found.severity,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(found.path, safe="/", errors="replace")},
                    **region,
                }
            }
        ],
        "partialFingerprints": {"assayFinding/v1": _fingerprint(found)},
    }


def _fingerprint(found: Finding) -> str:
    """The same for the same fault after lines above it moved."""
    return sha256("\0".join((found.code, found.path, found.message)).encode("utf-8", "replace")).hexdigest()
