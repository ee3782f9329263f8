"""A feature of a product: reads a customer's mail on standard input, answers with what a desk needs as JSON.

Rules stand here where a product would ask a model: assay sees the command and its answer, not what is
behind it.
"""

import json
import re
import sys

QUEUES = {
    "billing": ("invoice", "refund", "charged", "payment"),
    "shipping": ("parcel", "delivery", "arrived", "tracking"),
    "account": ("password", "log in", "login", "e-mail address"),
}
URGENT = ("today", "immediately", "urgent", "asap")


def triage(mail: str) -> dict[str, object]:
    text = mail.casefold()
    hits = {queue: sum(word in text for word in words) for queue, words in QUEUES.items()}
    best = max(hits, key=lambda queue: hits[queue])
    order = re.search(r"\b[A-Z]{2}-\d{4,}\b", mail)
    return {
        "queue": best if hits[best] else "general",
        "urgent": any(word in text for word in URGENT),
        "order": order.group() if order else None,
    }


if __name__ == "__main__":
    print(json.dumps({"result": triage(sys.stdin.read()), "version": 3}))
