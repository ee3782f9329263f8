"""What a judge may be called after it was compared with people."""

from __future__ import annotations

from assay.schemas.judge_calibration import Word
from assay.verdict.agreement import Calibration
from assay.verdict.intervals import clopper_pearson

FLOOR = 0.8
"""What both rates have to reach with 95 % confidence each."""


def judge_word(calibration: Calibration, floor: float = FLOOR) -> Word:
    """`certified`: both rates surely reach the floor. `unfit`: one surely does not. Else `uncalibrated`."""
    if calibration.is_certified(floor):
        return "certified"
    pairs = (
        (calibration.passes_found, calibration.passes),
        (calibration.fails_found, calibration.fails),
    )
    surely_below = any(clopper_pearson(found, items)[1] < floor for found, items in pairs if items)
    return "unfit" if surely_below else "uncalibrated"
