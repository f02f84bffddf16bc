#!/usr/bin/env python3
"""Verifies a passport's bundle offline, independently of the program that made it.

    tools/verify_bundle.py bundle.json --key issuer-key-1=issuer.key.pub

Needs Python 3.11 and nothing else. docs/formats.md says what is checked; this program was written
from that page and shares no code with jobforge.
"""
import sys

sys.dont_write_bytecode = True

from bundle_verifier.main import main  # noqa: E402  (no bytecode beside a shipped program)

if __name__ == "__main__":
    sys.exit(main())
