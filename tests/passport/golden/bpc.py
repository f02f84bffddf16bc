"""The byte formats of docs/formats.md a second time, in plain Python and nothing else.

Written from the page, not from the C++: canonical JSON, hashes, Ed25519 (RFC 8032), the proof's
nodes, snapshot, payload, receipt, bundle and QR text. The golden files come from here, so that the
program is compared with an independent answer and not with itself.
"""
import base64
import hashlib
import json

LARGEST = 2**53 - 1
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str:
    return '"' + "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def cjson(value) -> str:
    """BPC-CJSON-1."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise ValueError(f"{value} is beyond 2^53-1")
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(map(cjson, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(f"{quoted(key)}:{cjson(value[key])}" for key in keys) + "}"


def sha256(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def content_hash(value) -> str:
    return sha256(cjson(value))


def base32(hex_digest: str) -> str:
    return base64.b32encode(bytes.fromhex(hex_digest)).decode().rstrip("=")


# --- Ed25519, RFC 8032 section 5.1 ----------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover_x(y: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x % 2 == 0 else P - x  # the base point has the even root


def point_add(a, b):
    """Affine points of -x^2 + y^2 = 1 + d x^2 y^2; slow and plain."""
    product = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + b[0] * a[1]) * pow(1 + product, P - 2, P) % P,
            (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, P - 2, P) % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y), BASE_Y)


def times(factor: int, point):
    result = (0, 1)
    while factor:
        if factor & 1:
            result = point_add(result, point)
        point, factor = point_add(point, point), factor >> 1
    return result


def packed(point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def secret_scalar(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, digest[32:]


def public_key(seed: bytes) -> bytes:
    return packed(times(secret_scalar(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix = secret_scalar(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % ORDER
    point = packed(times(nonce, BASE))
    challenge = hashlib.sha512(point + public_key(seed) + message).digest()
    answer = (nonce + int.from_bytes(challenge, "little") * scalar) % ORDER
    return point + answer.to_bytes(32, "little")


# --- documents ------------------------------------------------------------------------------------

SCALARS = ("Bool", "Int", "Text", "Date", "Dec(", "Qty(")


class Proof:
    """BPC-PROOF-1: nodes in the order in which they are made, none twice."""

    def __init__(self) -> None:
        self.nodes: list[dict] = []
        self.known: dict[str, int] = {}

    def node(self, kind: str, data: dict, children: list[int]) -> int:
        same = cjson({"type": kind, "data": data, "children": children})
        if same in self.known:
            return self.known[same]
        number = len(self.nodes)
        hashes = [self.nodes[child]["hash"] for child in children]
        digest = content_hash({"children_hashes": hashes, "data": data, "id": number, "type": kind})
        self.nodes.append({"children": children, "data": data, "hash": digest, "id": number,
                           "type": kind})
        self.known[same] = number
        return number

    def const(self, kind: str, value) -> int:
        return self.node("CONST", {"type": kind, "value": value}, [])

    def text(self, value: str) -> int:
        return self.const("Text", value)

    def op(self, name: str, kind: str, result, *children: int) -> int:
        inner = kind[4:-1] if kind.startswith("Opt(") else kind
        short = not isinstance(result, str) or len(result.encode()) <= 256
        data = {"op": name, "type": kind}
        if inner.startswith(SCALARS) and short:
            data["result"] = result
        else:
            data["result_hash"] = content_hash(result)
        return self.node("OP", data, list(children))

    def fact_get(self, kind: str, key: str, payload, key_node: int) -> int:
        digest = None if payload is None else content_hash(payload)
        return self.node("FACT_GET", {"fact_key": key, "fact_type": kind, "payload_hash": digest},
                         [key_node])

    def field(self, path: str, kind: str, value: int, *met: int) -> int:
        return self.node("FIELD", {"field": path, "type": kind}, [value, *met])

    def document(self, root: int) -> dict:
        index = {node["data"]["field"]: node["id"] for node in self.nodes if node["type"] == "FIELD"}
        return {"field_index": index, "nodes": self.nodes, "proof_version": "BPC-PROOF-1",
                "root_hash": self.nodes[root]["hash"]}


def snapshot(snapshot_id: str, facts: list[dict]) -> dict:
    """BPC-SNAPSHOT-1; facts are {"fact_key","fact_type","payload","source_sha256"}."""
    items = [{"fact_key": fact["fact_key"], "fact_type": fact["fact_type"],
              "payload_hash": content_hash(fact["payload"]), "source_sha256": fact["source_sha256"]}
             for fact in facts]
    items.sort(key=lambda item: (item["fact_type"].encode(), item["fact_key"].encode()))
    return {"facts": items, "snapshot_id": snapshot_id, "snapshot_version": "BPC-SNAPSHOT-1"}


def payload(product: dict, fields: dict, access: dict, compliance: list) -> dict:
    return {"access": access, "compliance": compliance, "fields": fields,
            "passport_version": "BPC-PASSPORT-1", "product": product}


def receipt(ids: dict, payload_document: dict, proof_document: dict, snapshot_document: dict,
            dsl: str, tests: str) -> dict:
    """BPC-RECEIPT-1 without its signature."""
    return ids | {
        "dsl_sha256": sha256(dsl), "payload_hash": content_hash(payload_document),
        "proof_root_hash": proof_document["root_hash"], "receipt_version": "BPC-RECEIPT-1",
        "signature_alg": "ED25519", "snapshot_hash": content_hash(snapshot_document),
        "tests_sha256": sha256(tests)}


def signed(unsigned: dict, seed: bytes) -> dict:
    """BPC-SIGN-1."""
    digest = bytes.fromhex(content_hash(unsigned))
    return unsigned | {"signature": base64.b64encode(sign(seed, digest)).decode()}


def qr_text(unsigned: dict, base_url: str = "") -> str:
    version, digests = unsigned["passport_version_id"], {
        "ph": base32(unsigned["payload_hash"]), "pr": base32(unsigned["proof_root_hash"]),
        "rh": base32(content_hash(unsigned))}
    if base_url:
        return f"{base_url}/p/{unsigned['passport_id']}#" + "&".join(f"{k}={v}" for k, v in digests.items())
    return f"BPC1|pv={version}|" + "|".join(f"{k}={v}" for k, v in digests.items())


def load(text: str):
    return json.loads(text)
