"""The command line of tools/verify_bundle.py."""
import argparse
import json
import pathlib
import sys

from .bundle import NOT_MADE, Report, verify_bundle
from .canonical import Fault
from .keys import read_key

_OK, _FAILED = 0, 1
_ORDINARY = ("PASS", "NOT_APPLICABLE")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verify_bundle.py",
        description="Verifies a passport's bundle offline, written from docs/formats.md alone.",
        epilog="Exit codes: 0 every check passes, 1 one fails or a file cannot be read, 2 usage. "
               "The rules are not run again: `jobforge passport verify` does that too.")
    parser.add_argument("bundle", metavar="BUNDLE", help="the bundle's file, - for standard input")
    parser.add_argument("--key", required=True, metavar="[KEY_ID=]KEY",
                        help="the issuer's public key, a file or its base64, from a source you "
                             "trust; with KEY_ID= the receipt must name it so")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    return parser.parse_args()


def _printable(text: str) -> str:
    """Nothing of a bundle moves the terminal's cursor."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _table(report: Report) -> str:
    rows = [("CHECK", "", "DETAIL")]
    rows += [(check.name, "ok" if check.passed else "FAILED", check.detail)
             for check in report.checks]
    rows.append((NOT_MADE[0], "-", NOT_MADE[1]))
    return "\n".join(f"{name:<11}{passed:<8}{_printable(detail)}" for name, passed, detail in rows)


def _verdict(report: Report) -> str:
    failure = next((check for check in report.checks if not check.passed), None)
    if failure is not None:
        return f"The bundle is NOT valid: {failure.name}: {_printable(failure.detail)}"
    others = [f"{count} {_printable(status)}" for status, count in sorted(report.findings().items())
              if status not in _ORDINARY]
    findings = f" Its compliance entries: {', '.join(others)}, and no other finding." \
        if others else ""
    return f"The bundle is valid, as far as it was checked: {NOT_MADE[1].split(':')[0]}.{findings}"


def _json(report: Report) -> str:
    checks = [{"check": check.name, "detail": check.detail, "passed": check.passed}
              for check in report.checks]
    return json.dumps({
        "checks": checks, "compliance": report.findings(), "not_made": [NOT_MADE[0]],
        "valid": report.valid,
    }, ensure_ascii=False, sort_keys=True)


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else pathlib.Path(name).read_bytes()
    except OSError as error:
        raise Fault(f"cannot read {name}: {error.strerror}") from error


def main() -> int:
    arguments = _arguments()
    try:
        report = verify_bundle(_read(arguments.bundle), read_key(arguments.key))
    except Fault as fault:
        print(f"verify_bundle.py: {_printable(str(fault))}", file=sys.stderr)
        return _FAILED
    print(_json(report) if arguments.json else f"{_table(report)}\n{_verdict(report)}")
    return _OK if report.valid else _FAILED
