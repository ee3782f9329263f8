"""assay: did this change make it better or worse, and can the numbers bear that answer?"""

__version__ = "0.1.0"
