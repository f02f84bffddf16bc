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
    parser.add_argument("--code", help="the text of a scanned code: it must be this version's")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    return parser.parse_args()


def _printable(text: str) -> str:
    """Nothing of a bundle moves the terminal's cursor."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _table(report: Report) -> str:
    rows = [("CHECK", "", "DETAIL")]
    rows += [(check.name, "ok" if check.passed else "FAILED", check.detail)
             for check in report.checks]
    unmade = ("not made: the bundle cannot be read" if report.bundle is None
              else "not made: only for content that the key has signed")
    rows += [(name, "-", NOT_MADE.get(name, unmade)) for name in report.not_made()]
    return "\n".join(f"{name:<11}{passed:<8}{_printable(detail)}" for name, passed, detail in rows)


def _hashes(report: Report) -> list[str]:
    return [f"{name:<16}hex  {_printable(value['hex'])}\n{'':<16}{letters}=  {value['base32']}"
            for (name, value), letters in zip(report.hashes().items(), ("ph", "pr", "rh"))]


def _verdict(report: Report, code_fits: bool | None) -> str:
    failure = next((check for check in report.checks if not check.passed), None)
    if failure is not None:
        return f"The bundle is NOT valid: {failure.name}: {_printable(failure.detail)}"
    others = [f"{count} {_printable(status)}" for status, count in sorted(report.findings().items())
              if status not in _ORDINARY]
    findings = f" Its compliance entries: {', '.join(others)}, and no other finding." \
        if others else ""
    code = {None: "", True: " The code is that of this version.",
            False: " The code is NOT that of this version: it has other hashes or another id."}
    return ("The bundle is valid, as far as it was checked: "
            f"{NOT_MADE['recompile'].split(':')[0]}.{findings}{code[code_fits]}")


def _json(report: Report, code_fits: bool | None) -> str:
    """The members of `jobforge passport verify --json`."""
    checks = [{"check": check.name, "detail": check.detail, "passed": check.passed}
              for check in report.checks]
    return json.dumps({
        "checks": checks, "code_fits": code_fits, "findings": report.findings(),
        "hashes": report.hashes(), "not_made": report.not_made(), "remarks": report.remarks(),
        "valid": report.valid and code_fits is not False,
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
    code_fits = None if arguments.code is None else report.has_code(arguments.code)
    print(_json(report, code_fits) if arguments.json
          else "\n".join([_table(report),
                          *(f"Remark: {_printable(remark)}" for remark in report.remarks()),
                          *_hashes(report), _verdict(report, code_fits)]))
    return _OK if report.valid and code_fits is not False else _FAILED
