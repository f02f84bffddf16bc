"""Verifies a BPC-BUNDLE-1 offline, written from docs/formats.md and docs/rules.md alone.

It shares no code with the C++ program and needs nothing but Python 3.11: that is its worth. Where
the pages did not say enough to write it, the pages were completed.
"""
