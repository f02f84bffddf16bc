#!/usr/bin/env python3
"""Runs every operation of openapi.yaml with its own examples against a server that has told its
demonstration, and compares status, media type and body with what the description promises.

    examples.py openapi.yaml URL KEY PLATFORM_KEY [--record FILE]

What an example calls job_id, lease_token ... is replaced by the real one. --record writes the
answers to a file: where the examples of answers come from.
"""
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Spec:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.document = yaml.load(file, Loader=NoDates)
        self.operations = {}
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    operation["method"], operation["path"] = method.upper(), path
                    operation["all_parameters"] = [
                        self.resolved(p)
                        for p in item.get("parameters", []) + operation.get("parameters", [])]
                    self.operations[operation["operationId"]] = operation

    def resolved(self, node):
        while "$ref" in node:
            target = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            node = target
        return node

    def problem(self, schema, value, at="body"):
        """What is wrong with the value, or None."""
        schema = self.resolved(schema)
        for part in schema.get("allOf", []):
            found = self.problem(part, value, at)
            if found:
                return found
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_kind(value, kind) for kind in kinds):
            return f"{at} is not a {' or '.join(kinds)}: {value!r}"
        if "enum" in schema and value not in schema["enum"]:
            return f"{at} is none of {schema['enum']}: {value!r}"
        if isinstance(value, dict):
            return self.problem_in_object(schema, value, at)
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                found = self.problem(schema["items"], item, f"{at}[{i}]")
                if found:
                    return found
        return None

    def problem_in_object(self, schema, value, at):
        for name in schema.get("required", []):
            if name not in value:
                return f"{at} has no {name}"
        properties = schema.get("properties", {})
        for name, member in value.items():
            if name in properties:
                found = self.problem(properties[name], member, f"{at}.{name}")
                if found:
                    return found
            elif schema.get("additionalProperties") is False:
                return f"{at}.{name} is not described"
        return None


class NoDates(yaml.SafeLoader):
    """Times in examples are text, as in JSON."""


NoDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def is_kind(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def replaced(value, ids):
    """The example with real ids for those that it names."""
    if isinstance(value, list):
        return [replaced(item, ids) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: ids[name] if name in ids else replaced(member, ids)
            for name, member in value.items()}


class Server:
    def __init__(self, spec, url, key, platform_key):
        self.spec, self.url, self.key, self.platform_key = spec, url, key, platform_key
        self.done, self.recorded, self.failures = set(), {}, []

    def send(self, method, target, body=None, media_type="application/json", key=None):
        request = urllib.request.Request(self.url + target, method=method, data=body)
        request.add_header("Authorization", "Bearer " + (key or self.key))
        if body is not None:
            request.add_header("Content-Type", media_type)
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as answer:
            return answer

    def get(self, target):
        with self.send("GET", target) as answer:
            return json.loads(answer.read())

    def post(self, target, body):
        with self.send("POST", target, json.dumps(body).encode()) as answer:
            return json.loads(answer.read())

    def run(self, name, **ids):
        """One operation as its examples say it. The answer's JSON, or None."""
        operation = self.spec.operations[name]
        target, query = operation["path"], {}
        for parameter in operation["all_parameters"]:
            if parameter["in"] == "path":
                value = ids.get(parameter["name"], parameter.get("example"))
                target = target.replace("{" + parameter["name"] + "}",
                                        urllib.parse.quote(str(value), safe=""))
            elif parameter["in"] == "query" and "example" in parameter:
                query[parameter["name"]] = ids.get(parameter["name"], parameter["example"])
        if query:
            target += "?" + urllib.parse.urlencode(query)
        body = None
        if "requestBody" in operation:
            example = operation["requestBody"]["content"]["application/json"].get("example")
            if example is None:
                self.failures.append(f"{name} has no example of its body")
                return None
            body = json.dumps(replaced(example, ids)).encode()
        key = self.platform_key if "`platform:admin`" in operation["description"] else None
        with self.send(operation["method"], target, body, key=key) as answer:
            return self.check(name, operation, answer)

    def check(self, name, operation, answer):
        self.done.add(name)
        # A stream never ends; its first line is enough.
        media_type = (answer.headers.get("Content-Type") or "").split(";")[0]
        content = answer.readline() if media_type == "text/event-stream" else answer.read()
        described = operation["responses"].get(str(answer.status))
        if answer.status >= 300 or described is None:
            self.failures.append(f"{name}: {answer.status} {content[:300]!r}")
            return None
        described = self.spec.resolved(described)
        kinds = described.get("content", {})
        if not kinds:
            if content:
                self.failures.append(f"{name}: an answer without a body has one")
            return None
        kind = kinds.get(media_type) or kinds.get("*/*")
        if kind is None:
            self.failures.append(f"{name}: {media_type} is not described")
            return None
        if media_type != "application/json" or media_type not in kinds:
            return None
        value = json.loads(content)
        self.recorded.setdefault(name, {})[str(answer.status)] = value
        for what, checked in (("answer", value), ("example", kind.get("example"))):
            if checked is None:
                self.failures.append(f"{name}: no example of the answer")
                continue
            found = self.spec.problem(kind.get("schema", {}), checked, what)
            if found:
                self.failures.append(f"{name}: {found}")
        return value

    def wait(self, job_id):
        while self.get(f"/v1/jobs/{job_id}")["completed_at"] is None:
            time.sleep(0.1)

    def first(self, target, **wanted):
        """The newest of a list that has these members."""
        for item in self.get(target)["items"]:
            if all(item.get(name) == value for name, value in wanted.items()):
                return item
        raise SystemExit(f"{target} has nothing with {wanted}")


def jobs(server):
    job = server.run("enqueue_job")["job_id"]
    server.wait(job)
    server.run("list_jobs")
    for name in ("get_job", "list_attempts", "get_result", "explain_job"):
        server.run(name, job_id=job)
    for name in ("enqueue_jobs", "retry_jobs", "stream_jobs", "list_workers", "list_job_types",
                 "get_stats"):
        server.run(name)
    server.run("get_job_type", type="test.echo")


def artifacts(server):
    job = server.post("/v1/jobs", {"type": "test.echo", "payload": {"long": "x" * 300000}})["job_id"]
    server.wait(job)
    server.run("get_artifact", artifact_ref=server.get(f"/v1/jobs/{job}/result")["artifact_ref"])


def leases(server):
    # A type that the demonstration's worker does not take.
    for verb in ("complete_job", "fail_job", "snooze_job"):
        job = server.post("/v1/jobs", {"type": "send_email"})["job_id"]
        held = server.run("claim_jobs")["items"][0]
        assert held["job_id"] == job
        lease = {"job_id": job, "lease_token": held["lease_token"]}
        server.run("heartbeat_jobs", **lease)
        server.run(verb, **lease)
        if verb == "fail_job":
            server.run("retry_job", **lease)
            server.send("POST", f"/v1/jobs/{job}/cancel").close()
    server.run("reschedule_job", job_id=job)
    server.run("cancel_job", job_id=job)


def documents(server):
    uploaded = server.run("upload_document")
    document = uploaded["document_version_id"]
    server.wait(uploaded["job_id"])
    for name in ("list_document_versions", "get_document_version", "get_document_content",
                 "list_facts"):
        server.run(name, document_version_id=document)
    snapshot = server.run("create_snapshot")["snapshot_id"]
    ids = {"snapshot_id": snapshot, "document_version_ids": [document]}
    server.run("list_snapshots")
    server.run("get_snapshot", **ids)
    server.run("add_snapshot_items", **ids)
    item = server.run("list_snapshot_items", **ids)["items"][0]
    server.run("remove_snapshot_item", snapshot_id=snapshot, fact_type=item["fact_type"],
               fact_key=item["fact_key"])
    server.wait(server.run("build_snapshot", **ids)["job_id"])
    server.run("reopen_snapshot", **ids)
    server.wait(server.post(f"/v1/snapshots/{snapshot}/build", {})["job_id"])
    server.run("seal_snapshot", **ids)


def rules(server):
    ids = {"rule_package_version_id": server.run("upload_rules")["rule_package_version_id"]}
    server.run("list_rules")
    server.run("get_rules", **ids)
    server.wait(server.run("run_rule_tests", **ids)["job_id"])
    for name in ("publish_rules", "deprecate_rules", "retire_rules"):
        server.run(name, **ids)


def passports(server):
    product = server.run("create_product")["battery_product_id"]
    server.run("list_products")
    server.run("create_passport", battery_product_id=product)
    server.run("list_passports")
    told = server.first("/v1/passport-versions", status="ACTIVE")
    ids = {name: told[name] for name in ("passport_id", "snapshot_id", "rule_package_version_id")}
    server.run("list_versions_of_passport", **ids)
    version = server.run("compile_passport", **ids)["passport_version_id"]
    while not server.get(f"/v1/passport-versions/{version}").get("qr_payload"):
        time.sleep(0.1)
    server.run("list_passport_versions")
    for name in ("get_passport_version", "get_passport_payload", "get_passport_proof",
                 "get_passport_receipt", "get_passport_qr", "get_passport_bundle",
                 "activate_passport_version", "replay_passport_version", "show_public_passport",
                 "revoke_passport_version"):
        server.run(name, passport_version_id=version, passport_id=ids["passport_id"])
    for name in ("list_signing_keys", "list_events", "list_heads", "export_audit",
                 "verify_audit"):
        server.run(name)


def webhooks(server):
    ids = {"webhook_endpoint_id": server.run("create_webhook_endpoint")["webhook_endpoint_id"]}
    server.run("list_webhook_endpoints")
    for name in ("subscribe_webhook", "rotate_webhook_secret", "disable_webhook_endpoint",
                 "enable_webhook_endpoint"):
        server.run(name, **ids)
    server.run("change_webhook_endpoint", **ids)
    server.run("set_webhook_subscriptions", **ids)
    subscription = server.run("list_webhook_subscriptions")["items"][0]["webhook_subscription_id"]
    server.run("remove_webhook_subscription", webhook_subscription_id=subscription)
    server.run("remove_webhook_endpoint", **ids)
    server.run("list_webhook_deliveries")
    server.run("redeliver_webhook", webhook_delivery_id=failed_delivery(server))
    server.run("redeliver_webhooks")


def connectors(server):
    for name in ("set_connector_config", "list_connector_configs", "get_connector_config",
                 "remove_connector_config"):
        server.run(name)


def failed_delivery(server):
    # A receiver that says 404 for ever: the API itself, at a path that it has not.
    endpoint = server.post("/v1/webhook-endpoints", {"url": server.url + "/v1/nothing"})
    ids = {"webhook_endpoint_id": endpoint["webhook_endpoint_id"]}
    server.post("/v1/webhook-subscriptions", {**ids, "event_types": ["*"]})
    server.post("/v1/documents?kind=BOM&name=more.json", {"components": []})
    while True:
        for delivery in server.get("/v1/webhook-deliveries")["items"]:
            if delivery["status"] == "FAILED":
                return delivery["webhook_delivery_id"]
        time.sleep(0.1)


def prices(server):
    server.run("save_source")
    server.run("list_sources")
    for name in ("get_source", "set_source_rules", "disable_source", "enable_source",
                 "pause_source", "resume_source"):
        server.run(name, source="market")
    new = server.run("add_intake")["intake_id"]
    told = next(i["intake_id"] for i in server.run("list_intakes")["items"]
                if i["intake_id"] != new)
    for name in ("get_intake", "list_collections", "list_price_points", "get_valuation"):
        server.run(name, intake_id=told)
    server.run("collect_prices", intake_id=new)


def access(server):
    ids = {"key_id": server.run("create_api_key")["key_id"]}
    server.run("list_api_keys")
    for name in ("get_api_key", "rotate_api_key", "revoke_api_key"):
        server.run(name, **ids)
    policy = server.run("add_access_policy")["policy_id"]
    server.run("list_access_policies")
    server.run("remove_access_policy", policy_id=policy)


def platform(server):
    ids = {"tenant_id": server.run("create_tenant")["tenant_id"]}
    server.run("list_tenants")
    for name in ("get_tenant", "change_tenant", "delete_tenant"):
        server.run(name, **ids)
    server.run("register_type")
    server.run("list_types")
    server.run("get_type", type="send_invoice")
    server.run("change_type", type="send_invoice")
    server.run("run_doctor")


def program(server):
    for name in ("get_live", "get_ready", "get_metrics", "get_docs", "get_openapi"):
        server.run(name)


def main():
    spec = Spec(sys.argv[1])
    server = Server(spec, *sys.argv[2:5])
    for part in (jobs, artifacts, leases, documents, rules, passports, webhooks, connectors, prices,
                 access, platform, program):
        part(server)
    for name in sorted(spec.operations.keys() - server.done):
        server.failures.append(f"{name} was not run")
    if len(sys.argv) > 6 and sys.argv[5] == "--record":
        with open(sys.argv[6], "w", encoding="utf-8") as file:
            json.dump(server.recorded, file)
    for failure in server.failures:
        print(failure, file=sys.stderr)
    print(f"{len(server.done)} operations, {len(server.failures)} failures")
    return 1 if server.failures else 0


if __name__ == "__main__":
    sys.exit(main())
