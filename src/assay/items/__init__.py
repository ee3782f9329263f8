"""Items: what is under test, where it lives in a project, and the digest of what it holds."""

from assay.items.find import find_item, item_at

__all__ = ["find_item", "item_at"]
