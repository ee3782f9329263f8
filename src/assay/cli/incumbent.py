"""Which version of an item an edit has to beat: named, recorded with the best, or found in git."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from assay.errors import CannotRun, UsageError
from assay.items import item_at
from assay.items.history import restore, revision_with

if TYPE_CHECKING:
    from assay.model import Item
    from assay.schemas.baseline import Best


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of one item that a proposal knows of."""

    project: Path
    current: Item
    """As it lies in the project."""
    candidate: Item
    """As the edit makes it."""
    work: Path
    """A folder for others; it lasts as long as the proposal."""

    def incumbent(self, best: Best | None, asked: str | None) -> Item | None:
        """The version that the edit has to beat; None where nothing says which it is.

        In order: the revision asked for, that of the recorded best, the item as it lies there, the commit
        that holds the files of the recorded best.
        """
        folder = Path(mkdtemp(dir=self.work))
        if asked:
            return item_at(restore(self.project, asked, self.current.root, folder), self.current.kind)
        digest = best.item_digest if best else None
        if best and best.revision and (held := self._held(best.revision, folder, digest)):
            return held
        if self.current.digest == digest or (digest is None and self.current.digest != self.candidate.digest):
            return self.current
        return self._found(digest, folder) if digest else None

    def _found(self, digest: str, folder: Path) -> Item | None:
        """The item as the commit holds it whose files have the digest."""

        def is_it(revision: str) -> bool:
            return self._held(revision, Path(mkdtemp(dir=self.work)), digest) is not None

        found = revision_with(self.project, self.current.root, is_it)
        return self._held(found, folder, digest) if found else None

    def _held(self, revision: str, folder: Path, digest: str | None) -> Item | None:
        """The item as a commit holds it; None where it holds none, or another than the digest says."""
        try:
            place = restore(self.project, revision, self.current.root, folder / revision[:12])
            item = item_at(place, self.current.kind)
        except (CannotRun, UsageError):
            return None
        return item if digest in (None, item.digest) else None
