"""A receiver's own check of a webhook, with nothing of ours: reads JSON lines {secrets, headers, body in hex} and
prints one line each: "ok", or what is wrong. Standard Webhooks as its specification says, X-BPC-Signature as hmac does."""
import base64
import hashlib
import hmac
import json
import sys


def standard(secret: str, headers: dict[str, str], body: bytes) -> bool:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    offered = [part.split(",", 1) for part in headers["webhook-signature"].split(" ")]
    return any(version == "v1" and hmac.compare_digest(signature, expected) for version, signature in offered)


def check(message: dict) -> str:
    headers, body, secrets = message["headers"], bytes.fromhex(message["body"]), message["secrets"]
    for number, secret in enumerate(secrets):
        if not standard(secret, headers, body):
            return f"standard signature of secret {number}"
    expected = "sha256=" + hmac.new(secrets[0].encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(headers["X-BPC-Signature"], expected):
        return "X-BPC-Signature"
    if headers["X-BPC-Delivery-Id"] != headers["webhook-id"]:
        return "ids differ"
    return "ok" if headers["X-BPC-Timestamp"] == headers["webhook-timestamp"] else "timestamps differ"


for line in sys.stdin if len(sys.argv) < 2 else open(sys.argv[1], encoding="utf-8"):
    print(check(json.loads(line)))
