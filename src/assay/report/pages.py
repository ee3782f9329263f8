"""The templates of the pages, how they show numbers and names, and the policy that keeps them closed."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.model import WITH, WITHOUT
from assay.report import numbers

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def rendered(template: str, view: dict[str, object]) -> str:
    """A template filled in; everything in it is escaped but what a template or `plots` made."""
    return environment().get_template(template).render(view).lstrip()


def policy(script: str, style: str, *, is_served: bool = False) -> str:
    """A content security policy that allows this script and this style, and nothing else.

    A page that is served may also ask its own server.
    """
    own = "'self'" if is_served else "'none'"
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:;"
        f" connect-src {own}; base-uri 'none'; form-action {own};"
        " require-trusted-types-for 'script'; trusted-types assay"
    )


def kind_of(arm: str) -> str:
    """The class that an arm is drawn in."""
    return {WITH: "k-with", WITHOUT: "k-without"}.get(arm, "k-other")


def label_of(arm: str) -> str:
    """An arm in words."""
    return {WITH: "with", WITHOUT: "without"}.get(arm, arm)


def when(stamp: str) -> str:
    """`2026-11-30 22:15 UTC` from ISO 8601."""
    return f"{stamp[:10]} {stamp[11:16]} UTC" if len(stamp) >= 16 else stamp


def _until(first: str, last: str) -> str:
    """`2026-11-30 to 2026-12-02`, or the times of one day."""
    if first[:10] != last[:10]:
        return f"{first[:10]} to {last[:10]}"
    return f"{first[:10]}, {first[11:16]} to {last[11:16]} UTC"


def _interval(value: tuple[float, float] | None) -> str:
    return numbers.UNKNOWN if value is None else f"{value[0]:.2f} to {value[1]:.2f}"


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [… {len(text) - most:,} characters are not shown …]"


def _ratio(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}" if counts[1] else numbers.UNKNOWN


@cache
def environment() -> Environment:
    """The templates, escaping by themselves; an unknown name is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("assay.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        score=numbers.score,
        signed=numbers.signed,
        money=numbers.money,
        seconds=numbers.seconds,
        count=numbers.count,
        plural=numbers.plural,
        weight=lambda value: f"{value:g}",
        interval=_interval,
        ratio=_ratio,
        clip=_clip,
        when=when,
        day=lambda stamp: stamp[:10],
        moment=lambda stamp: f"{stamp[5:10]} {stamp[11:16]}",
        until=_until,
        path=lambda text: quote(text, safe=""),
        kind=kind_of,
        arm_label=label_of,
    )
    return found


@cache
def asset(name: str) -> Markup:
    """A script or style of the package, as it stands in a page."""
    from importlib.resources import files

    from markupsafe import Markup

    return Markup(files("assay.report").joinpath("templates", name).read_text("utf-8"))


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
