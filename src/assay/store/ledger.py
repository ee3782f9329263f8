"""The ledger `wiki/skill-impact.md`: one row a decision, appended and never edited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import Unusable, UsageError
from assay.store.whole_file import REAL_DISK, Disk, write_whole

LEDGER = Path("wiki/skill-impact.md")
PATTERNS = Path("wiki/patterns")
HEADINGS = ("Date", "Skill", "PR", "Pages cited", "Score before", "Score after", "Outcome")
_CONFLICT = re.compile(r"^(?:<<<<<<<|>>>>>>>)(?: |$)", re.MULTILINE)
_RUN = re.compile(r"(?:<!-- item:(\S+) --> )?<!-- run:(\S+) -->\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_TITLE = "# Skill impact\n\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One decision, its cells as text."""

    date: str
    skill: str
    pr: str
    pages: str
    """Links relative to the ledger, comma-separated."""
    before: str
    after: str
    outcome: str
    """`accepted`, or `rejected: ` and the reasons."""
    run: str
    """Stands behind the row in a comment that tables do not show, as the digest does."""
    item_digest: str | None = None
    """What the item held, where the run was complete: how a rejected edit is known again."""

    @property
    def accepted(self) -> bool:
        return self.outcome == "accepted"

    def to_line(self) -> str:
        cells = (self.date, self.skill, self.pr, self.pages, self.before, self.after, self.outcome)
        item = f"<!-- item:{self.item_digest} --> " if self.item_digest else ""
        return f"| {' | '.join(_escaped(cell) for cell in cells)} | {item}<!-- run:{self.run} -->"


def page_links(project: Path, pages: Sequence[str]) -> str:
    """The cell for pages given by name (`commit-skipped-hook`, with or without `.md`).

    Raises `UsageError` that names every page which is not a file under `wiki/patterns/`.
    """
    names = [page.strip().removesuffix(".md") for page in pages if page.strip()]
    if not names:
        raise UsageError("--pages needs at least one page of wiki/patterns/")
    missing = [name for name in names if not _is_page(project / PATTERNS, name)]
    if missing:
        raise UsageError(f"no such page under {PATTERNS.as_posix()}/: {', '.join(missing)}")
    return ", ".join(f"[{name}](patterns/{name.replace(' ', '%20')}.md)" for name in names)


def find_row(path: Path, run: str) -> Row | None:
    """The row of a run; None where the ledger does not hold it. `Unusable` where its line is no row."""
    return next((row for row in _rows(path, lambda _, name: name == run)), None)


def find_rejected(path: Path, skill: str, item_digest: str) -> Row | None:
    """The last row that rejected these very files of an item; None where none did."""
    rows = _rows(path, lambda digest, _: digest == item_digest)
    rejected = [row for row in rows if row.skill == skill and not row.accepted]
    return rejected[-1] if rejected else None


def runs_since(path: Path, skill: str, run: str | None) -> tuple[str, ...]:
    """The runs of an item's rows below that of `run`; all where the ledger does not hold it."""
    rows = [row.run for row in _rows(path, lambda *_: True) if row.skill == skill]
    return tuple(rows[rows.index(run) + 1 :] if run in rows else rows)


def append_row(path: Path, row: Row, disk: Disk = REAL_DISK) -> None:
    """Put a row below the last row of the table; the table is made where there is none.

    Nothing else in the file changes, line ends included.
    """
    text = _read(path)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = _lines(text)
    at = _end_of_table(lines)
    if at is None:
        separator = "|" + "---|" * len(HEADINGS)
        new = [f"| {' | '.join(HEADINGS)} |", separator, row.to_line()]
        lead = (
            _TITLE if not text else "" if text.endswith(end * 2) else end if text.endswith(end) else end * 2
        )
        write_whole(path, f"{text}{lead}{''.join(line + end for line in new)}", disk)
        return
    if not lines[at - 1].endswith("\n"):
        lines[at - 1] += end
    lines.insert(at, row.to_line() + end)
    write_whole(path, "".join(lines), disk)


def _read(path: Path) -> str:
    """The ledger's text. Raises `Unusable` also for one with a merge that was not finished."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise Unusable(f"{path.as_posix()} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise Unusable(f"{path.as_posix()} cannot be read: {error.strerror or error}") from error
    if found := _CONFLICT.search(text):
        where = f"{path.as_posix()}:{text.count(chr(10), 0, found.start()) + 1}"
        raise Unusable(f"{where} is a mark of a merge that is not finished: keep the rows of both sides")
    return text


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, whatever else Unicode may call a line break."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _rows(path: Path, is_meant: Callable[[str | None, str], bool]) -> Iterator[Row]:
    """The rows whose (item digest, run) are meant; other lines are not looked into."""
    for number, line in enumerate(_lines(_read(path)), 1):
        found = _RUN.search(line)
        if found and is_meant(found[1], found[2]):
            yield _row(line, found[2], found[1], f"{path.as_posix()}:{number}")


def _row(line: str, run: str, item_digest: str | None, where: str) -> Row:
    cells = [_plain(cell.strip()) for cell in _CELLS.split(line)[1 : len(HEADINGS) + 1]]
    if len(cells) != len(HEADINGS):
        raise Unusable(f"{where} is not a row of {len(HEADINGS)} cells, so what was decided cannot be read")
    date, skill, pr, pages, before, after, outcome = cells
    return Row(date, skill, pr, pages, before, after, outcome, run, item_digest)


def _end_of_table(lines: Sequence[str]) -> int | None:
    """The index behind the last row of the ledger's table."""
    for start, line in enumerate(lines):
        cells = [cell.strip().lower() for cell in line.strip("\ufeff \r\n").strip("|").split("|")]
        if cells == [heading.lower() for heading in HEADINGS]:
            rest = enumerate(lines[start:], start)
            return next(
                (number for number, row in rest if not row.lstrip("\ufeff ").startswith("|")), len(lines)
            )
    return None


def _escaped(cell: str) -> str:
    text = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in cell.strip())
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "<br>").replace("<!--", "&lt;!--")


def _plain(cell: str) -> str:
    return cell.replace("&lt;!--", "<!--").replace("<br>", "\n").replace("\\|", "|").replace("\\\\", "\\")


def _is_page(folder: Path, name: str) -> bool:
    page = folder / f"{name}.md"
    return page.is_file() and page.resolve().is_relative_to(folder.resolve())
