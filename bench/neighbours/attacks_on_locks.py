"""Attacks by what a tenant can lock or shout: open transactions, advisory locks, NOTIFY."""
import json
from typing import Any

from attacker import Attacker, Step
from attacks_on_jobs import ENQUEUE, INTERNAL, enqueue_many

# Every name that a version of this program has locked.
NAMES = ("jobforge.fold_counters", "jobforge.prune_finished", "jobforge.migrate")
NAMES_BY_TYPE = ("jobforge.type.{}",)
NAMES_BY_TENANT = ("jobforge.tenant.{}", "jobforge.event_log {}", "jobforge.source.{}.held")
NAMES_BY_KEY = ("jobforge.api_key {}", "jobforge.api_key_events {}")


CALLED = "http://127.0.0.1:9"  # nobody listens there


def open_transactions(attacker: Attacker) -> None:
    """Transactions that stay open with whatever the tenant can lock, and requests that run into them."""
    setup = attacker.connect()
    for _ in range(5):
        attacker.sql(setup, "running job", ENQUEUE, "test.sleep", '{"seconds": 600}', 0)
    attacker.sql(setup, "source", "select jobforge.save_source(%s)",
                 json.dumps({"name": "held", "base_url": "https://example.com/"}))
    running: list[str] = []
    while len(running) < 5 and attacker.pause(0.1):
        running = [row[0] for row in attacker.sql(
            setup, "list", "select job_id::text from jobforge.list_jobs(p_status => 'RUNNING')")]
    # With a rate each call takes a token from the governor that is about to be locked.
    attacker.sql(setup, "connector", "select jobforge.set_connector_config('connector.http.request', %s)",
                 '{"requests_per_minute": 60000}')
    opened: list[Any] = []

    def hold(what: str, statement: str, *parameters: object) -> None:
        connection = attacker.connect()
        connection.autocommit = False
        opened.append(connection)
        attacker.sql(connection, "open: " + what, statement, *parameters)

    spare = attacker.target.hostile_spare_keys
    for job_id in running:
        hold("cancel a running job", "select jobforge.cancel_job(%s)", job_id)
    hold("governor", "select jobforge.governor_configure('host', %s, %s)",
         f"connector.http.request {CALLED}", '{"burst": 2}')
    enqueue_many(attacker, "calls at the held governor", "connector.http.request", {"url": CALLED + "/"}, 0, 60)
    hold("source", "select jobforge.save_source(%s)",
         json.dumps({"name": "held", "base_url": "https://example.com/2"}))
    hold("revoke a key", "select count(*) from jobforge.revoke_api_key(%s)", key_id(spare[0]))
    hold("policy", "select count(*) from jobforge.add_access_policy('deny', '/v1/audit/**')")
    # It has the turn at the quota, where every other enqueue of the tenant now waits, and the key.
    hold("enqueue with a quota and a key", "select * from jobforge.enqueue_job('test.echo', '{}', "
         "p_idempotency_key => 'held')")

    def call(what: str, key: str, method: str, path: str, body: object = None) -> None:
        def make() -> Step:
            caller = attacker.caller(key)
            return lambda: attacker.http(caller, what, method, path, body)
        attacker.repeat(6, make, 0.05)

    job = {"type": "test.echo", "payload": {}}
    call("with the key that is being revoked", spare[0], "POST", "/v1/jobs", job)
    call("enqueue at the quota", attacker.hostile.key, "POST", "/v1/jobs", job)
    call("enqueue with the held key", attacker.hostile.key, "POST", "/v1/jobs",
         {**job, "idempotency_key": "held"})
    if running:
        call("cancel the held job", attacker.hostile.key, "POST", f"/v1/jobs/{running[0]}/cancel", {})
    call("change the held source", attacker.hostile.key, "POST", "/v1/sources",
         {"name": "held", "base_url": "https://example.com/3"})
    attacker.finish()
    for connection in opened:
        connection.rollback()


def key_id(key: str) -> str:
    return key.split("_")[2]


def lock_names(attacker: Attacker) -> list[str]:
    target = attacker.target
    tenants = [*target.tenants, target.hostile]
    types = ("test.echo", "test.sleep", "connector.http.request", *INTERNAL)
    names = list(NAMES)
    names += [form.format(one) for form in NAMES_BY_TYPE for one in types]
    names += [form.format(one.tenant_id) for form in NAMES_BY_TENANT for one in tenants]
    names += [form.format(key_id(one.key)) for form in NAMES_BY_KEY for one in tenants]
    return names


def locks(attacker: Attacker) -> None:
    """Advisory locks on every name and on all that pg_locks shows, table locks, floods of NOTIFY."""
    holder = attacker.connect()
    for name in lock_names(attacker):
        attacker.sql(holder, "advisory locks by name",
                     "select pg_try_advisory_lock(hashtextextended(%s, 0)), "
                     "pg_try_advisory_lock(hashtext(%s))", name, name)

    def copy_locks() -> Step:
        connection = attacker.connect()

        def step() -> None:
            seen = attacker.sql(connection, "read pg_locks", "select distinct locktype, classid::bigint, "
                                "objid::bigint, objsubid, relation::regclass::text from pg_locks "
                                "where locktype = 'advisory' or relation is not null")
            for kind, high, low, sub, relation in seen:
                if kind == "advisory" and sub == 1:
                    attacker.sql(connection, "advisory locks seen",
                                 "select pg_try_advisory_lock((%s::bigint << 32) | %s::bigint)", high, low)
                elif kind == "advisory":
                    attacker.sql(connection, "advisory locks seen",
                                 "select pg_try_advisory_lock(%s::bigint::integer, %s::bigint::integer)",
                                 high, low)
                elif relation is not None:
                    attacker.sql(connection, "table locks",
                                 f"begin; lock table {relation} in access exclusive mode nowait")
                    attacker.sql(connection, "rollbacks", "rollback")
        return step

    def shout() -> Step:
        connection = attacker.connect()

        def step() -> None:
            attacker.sql(connection, "notify jobforge_wake", "notify jobforge_wake")
            attacker.sql(connection, "notify jobforge_cancel", "notify jobforge_cancel, 'x'")
        return step

    def listen() -> None:
        """Listens and reads nothing, in a transaction: the server must keep what is sent meanwhile."""
        connection = attacker.connect()
        attacker.sql(connection, "listen", "listen jobforge_wake")
        connection.autocommit = False
        attacker.sql(connection, "listen", "select 1")
        attacker.hold()
        connection.rollback()

    attacker.repeat(1, copy_locks, 1.0)
    attacker.repeat(4, shout)
    attacker.run(1, listen)
    attacker.finish()
