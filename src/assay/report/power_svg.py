"""The chance of an accept by true change as one SVG picture that stands by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from assay.verdict.outlook import Outlook, RuleOutlook

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 170, 50, 50
INKS = {"strict": "#b45309", "evidence": "#1d4ed8", "evidence, sequential": "#0f766e"}
_PICTURE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" font-family="sans-serif"'
    ' font-size="13"><title>{}</title><rect width="100%" height="100%" fill="#fff"/>{}</svg>\n'
)
_TEXT = Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}">{}</text>')
_LINE = Markup('<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#d4d4d4"/>')
_CURVE = Markup('<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>')
_DOT = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>')


def power_svg(outlook: Outlook) -> str:
    """One curve a gate rule, labelled at its end."""
    title = f"How often a change is accepted: {outlook.cases} cases, {outlook.runs} runs each"
    gates = [rule for rule in outlook.rules if rule.name in INKS]
    changes = [change for change, _ in gates[0].rates]
    parts = [_TEXT.format(LEFT, 26, "start", "#111", title)]
    parts += _axes(changes)
    parts += [part for rule in gates for part in _curve(rule, changes)]
    parts += _names(gates, changes)
    return str(_PICTURE.format(WIDTH, HEIGHT, title, Markup("").join(parts)))


def _axes(changes: list[float]) -> list[Markup]:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_LINE.format(LEFT, _y(share), WIDTH - RIGHT, _y(share)))
        parts.append(_TEXT.format(LEFT - 8, _y(share) + 4, "end", "#525252", f"{share:.0%}"))
    for change in changes:
        name = f"{change:+.2f}".replace("-", "−") if change else "none"
        parts.append(_TEXT.format(_x(change, changes), HEIGHT - BOTTOM + 20, "middle", "#525252", name))
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*parts, _TEXT.format(middle, HEIGHT - 10, "middle", "#525252", "true change of the mean score")]


def _curve(rule: RuleOutlook, changes: list[float]) -> list[Markup]:
    places = [(_x(change, changes), _y(rate)) for change, rate in rule.rates if rate is not None]
    ink = INKS[rule.name]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [_CURVE.format(line, ink), *(_DOT.format(x, y, ink) for x, y in places)]


def _names(gates: list[RuleOutlook], changes: list[float]) -> list[Markup]:
    """Each rule's name beside the end of its curve, moved down where two ends would lie on each other."""
    ends = []
    for rule in gates:
        change, rate = [(size, share) for size, share in rule.rates if share is not None][-1]
        ends.append((_y(rate), _x(change, changes), rule.name))
    parts, last = [], -100.0
    for y, x, name in sorted(ends):
        last = max(y + 4, last + 17)
        parts.append(_TEXT.format(x + 12, last, "start", INKS[name], name))
    return parts


def _x(change: float, changes: list[float]) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (change - changes[0]) / (changes[-1] - changes[0])


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
