"""Attacks that work through jobs: their payloads, priorities, length, types and calls."""
import json
import socket

from attacker import Attacker, Make, Step
from bench_system import HANGING_NAMES

ENQUEUE = "select * from jobforge.enqueue_job(%s, %s, p_priority => %s)"
ENQUEUE_MANY = "select count(*) from jobforge.enqueue_jobs(array_fill(%s::text, array[%s]), " \
    "array_fill(%s::jsonb, array[%s]), p_priorities => array_fill(%s::integer, array[%s]))"
INTERNAL = ("COMPILE_PASSPORT", "SIGN_PASSPORT", "GENERATE_QR", "PARSE_FACTS", "BUILD_SNAPSHOT",
            "RUN_RULE_TESTS", "DELIVER_WEBHOOK", "COLLECT_PRICES")


def enqueue_many(attacker: Attacker, what: str, job_type: str, payload: object, priority: int,
                 number: int) -> None:
    connection = attacker.connect()
    text = json.dumps(payload)
    for first in range(0, number, 1000):
        size = min(1000, number - first)
        attacker.sql(connection, f"{what}, batch of {size}", ENQUEUE_MANY, job_type, size, text, size,
                     priority, size)


def numbers(attacker: Attacker) -> None:
    """Numbers of 131,072 digits that jsonb keeps in ten bytes each."""
    text = '{"a":[' + ",".join(["1e131071"] * 4000) + "]}"
    over_http = b'{"type":"test.echo","payload":' + text.encode() + b"}"

    def by_sql() -> Step:
        connection = attacker.connect()
        return lambda: attacker.sql(connection, "numbers by SQL", ENQUEUE, "test.echo", text, 2)

    def by_http() -> Step:
        caller = attacker.caller()
        return lambda: attacker.http(caller, "numbers by HTTP", "POST", "/v1/jobs", over_http)

    attacker.repeat(2, by_sql, 0.05)
    attacker.repeat(2, by_http, 0.05)
    attacker.finish()


def large_payloads(attacker: Attacker) -> None:
    """Payloads as large as they may be: 16 MiB by SQL, 1 MiB with one job by HTTP."""
    def by_sql(what: str, size: int) -> Make:
        text = json.dumps({"a": "x" * (size - 100)})

        def make() -> Step:
            connection = attacker.connect()
            return lambda: attacker.sql(connection, what, ENQUEUE, "test.echo", text, 2)
        return make

    body = json.dumps({"type": "test.echo", "payload": {"a": "y" * 1000000}}).encode()

    def by_http() -> Step:
        caller = attacker.caller()
        return lambda: attacker.http(caller, "1 MB by HTTP", "POST", "/v1/jobs", body)

    attacker.repeat(1, by_sql("1 MiB by SQL", 1 << 20), 0.2)
    attacker.repeat(1, by_sql("16 MiB by SQL", 16 << 20), 3.0)
    attacker.repeat(1, by_http, 0.2)
    attacker.finish()


def priorities(attacker: Attacker) -> None:
    """20,000 jobs of the best priority."""
    enqueue_many(attacker, "priority 0", "test.echo", {}, 0, 20000)
    attacker.finish()


def long_jobs(attacker: Attacker) -> None:
    """100 jobs of an hour: test.sleep stands for any type whose jobs take long."""
    enqueue_many(attacker, "an hour", "test.sleep", {"seconds": 3600}, 0, 100)
    attacker.finish()


def turns_long(attacker: Attacker) -> None:
    """A type whose jobs have been short, then 200 of an hour: what a type's history says is the tenant's."""
    enqueue_many(attacker, "short", "test.sleep", {"seconds": 0}, 0, 2000)
    attacker.pause(1.0)
    enqueue_many(attacker, "an hour", "test.sleep", {"seconds": 3600}, 0, 200)
    attacker.finish()


def large_results(attacker: Attacker) -> None:
    """Results as large as they may be, and larger, of jobs that only its own workers claim, over HTTP."""
    enqueue_many(attacker, "to be claimed", "bench.nobody", {}, 3, 1000)
    results = (("1 MB", json.dumps("x" * 1000000)), ("15 MB", json.dumps("x" * 15000000)),
               ("20 MB", json.dumps("x" * 20000000)),
               ("enormous numbers", "[" + ",".join(["1e131071"] * 4000) + "]"),
               ("many numbers", "[" + ",".join(["1"] * 300000) + "]"))

    def work() -> Step:
        caller = attacker.caller()

        def step() -> None:
            claimed = attacker.http(caller, "claim", "POST", "/v1/jobs/claim",
                                    {"worker_id": f"large-{id(caller)}", "types": ["bench.nobody"], "limit": 5})
            jobs = json.loads(claimed)["items"] if claimed else []
            for job, (what, result) in zip(jobs, results):
                body = (f'{{"worker_id":"large-{id(caller)}","lease_token":{job["lease_token"]},'
                        f'"result":{{"a":{result}}}}}').encode()
                attacker.http(caller, f"result of {what}", "POST", f"/v1/jobs/{job['job_id']}/complete", body)
        return step

    attacker.repeat(3, work, 0.1)
    attacker.finish()


def internal_types(attacker: Attacker) -> None:
    """Enqueues, claims and settlements of the platform's own types, and in another worker's name."""
    def over_http() -> Step:
        caller = attacker.caller()

        def step() -> None:
            for job_type in INTERNAL:
                attacker.http(caller, "enqueue", "POST", "/v1/jobs", {"type": job_type, "payload": {}})
                for worker in ("hostile-1", "bench-worker"):
                    attacker.http(caller, f"claim as {worker}", "POST", "/v1/jobs/claim",
                                  {"worker_id": worker, "types": [job_type], "limit": 10})
            claimed = attacker.http(caller, "claim test.echo", "POST", "/v1/jobs/claim",
                                    {"worker_id": "bench-worker", "types": ["test.echo"], "limit": 10})
            for job in json.loads(claimed)["items"] if claimed else []:
                attacker.http(caller, "settle", "POST", f"/v1/jobs/{job['job_id']}/complete",
                              {"worker_id": "bench-worker", "lease_token": job["lease_token"], "result": {}})
                attacker.count("jobs claimed over HTTP")
            for verb in ("complete", "fail", "snooze", "retry", "cancel"):
                body = {"worker_id": "bench-worker", "lease_token": 1}
                attacker.http(caller, verb, "POST", "/v1/jobs/01a1e513-0355-7bfc-a241-aa5730f47fec/" + verb,
                              body if verb in ("complete", "fail", "snooze") else {})
        return step

    def over_sql() -> Step:
        connection = attacker.connect()

        def step() -> None:
            for job_type in INTERNAL:
                attacker.sql(connection, "enqueue by SQL", ENQUEUE, job_type, "{}", 0)
            attacker.sql(connection, "claim by SQL",
                         "select * from jobforge.claim_jobs('bench-worker', 10, array['test.echo'])")
        return step

    attacker.repeat(2, over_http, 0.05)
    attacker.repeat(1, over_sql, 0.05)
    attacker.finish()


def lost_leases(attacker: Attacker) -> None:
    """Jobs that its own workers claim over HTTP, as many as they get, and never settle."""
    enqueue_many(attacker, "to be claimed", "test.sleep", {"seconds": 1}, 3, 5000)
    enqueue_many(attacker, "to be claimed", "test.echo", {}, 3, 5000)

    def claim() -> Step:
        caller = attacker.caller()
        number = iter(range(1_000_000))

        def step() -> None:
            claimed = attacker.http(caller, "claim", "POST", "/v1/jobs/claim", {
                "worker_id": f"lost-{id(caller)}-{next(number)}", "types": ["test.sleep", "test.echo"],
                "limit": 100, "lease_seconds": 2})
            attacker.count("jobs claimed and left", len(json.loads(claimed)["items"]) if claimed else 0)
        return step

    attacker.repeat(4, claim)
    attacker.finish()


def back_dated(attacker: Attacker) -> None:
    """Jobs that have been due for years, of a type that the worker handles and of one that it does not."""
    many = "select count(*) from jobforge.enqueue_jobs(array_fill(%s::text, array[1000]), " \
        "array_fill('{}'::jsonb, array[1000]), p_scheduled_at => " \
        "array_fill('2001-01-01'::timestamptz, array[1000]))"

    def enqueue(job_type: str) -> Make:
        def make() -> Step:
            connection = attacker.connect()
            return lambda: attacker.sql(connection, f"1000 of {job_type}", many, job_type)
        return make

    attacker.repeat(1, enqueue("test.echo"), 0.5)
    attacker.repeat(1, enqueue("bench.nobody"), 0.1)
    attacker.finish()


def hanging_calls(attacker: Attacker) -> None:
    """225 calls to servers that accept and never answer, or whose queue of connections is full, and to names
    that the worker's name server never answers (tests/support/hanging_names.cc)."""
    mute = socket.create_server(("127.0.0.1", 0), backlog=200)
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    fillers = []
    for _ in range(4):  # the kernel drops what comes after them: a connection that never opens
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(full.getsockname())
        fillers.append(filler)
    taken: list[socket.socket] = []

    def accept() -> None:
        mute.settimeout(0.2)
        while not attacker.over():
            try:
                taken.append(mute.accept()[0])
                attacker.count("calls accepted and not answered")
            except TimeoutError:
                continue
    attacker.run(1, accept)
    for server, number in ((mute, 75), (full, 75)):
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        enqueue_many(attacker, "calls", "connector.http.request", {"url": url, "timeout_ms": 300000}, 0,
                     number)
    for number in range(75):
        enqueue_many(attacker, "calls of names", "connector.http.request",
                     {"url": f"http://a{number}.{HANGING_NAMES}/", "timeout_ms": 300000}, 0, 1)
    attacker.finish()
