"""Attacks on the API itself: idle sockets, wrong keys, heavy requests."""
import json
import resource
import socket

from attacker import Attacker, Step

SOCKETS = 4300  # four times what one address may have


def api_flood(attacker: Attacker) -> None:
    """4,300 idle sockets, failed log-ins, lists and large bodies, all at once."""
    idle: list[socket.socket] = []

    def sit() -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        for number in range(SOCKETS):
            try:
                idle.append(socket.create_connection(("127.0.0.1", attacker.target.api_port), 2.0,
                                                     (attacker.hostile.address, 0)))
                if number % 2:
                    idle[-1].send(b"GET /v1/jobs HTTP/1.1\r\nHost: x\r\n")  # and never the rest
                attacker.count("idle sockets opened")
            except OSError as error:
                attacker.count(f"idle sockets: {type(error).__name__}")
            if attacker.over():
                return

    def failed_login() -> Step:
        known = attacker.hostile.key[:-8] + "aaaaaaaa"
        callers = [attacker.caller(known), attacker.caller("jf_dev_aaaaaaaaaaaaaaaa_" + "a" * 52)]

        def step() -> None:
            for caller in callers:
                attacker.http(caller, "wrong key", "GET", "/v1/jobs")
        return step

    def lists() -> Step:
        caller = attacker.caller()
        paths = ("/v1/jobs?limit=200", "/v1/stats", "/v1/audit/events?limit=200", "/v1/api-keys?limit=200")

        def step() -> None:
            for path in paths:
                attacker.http(caller, "list", "GET", path)
        return step

    batch = json.dumps({"jobs": [{"type": "test.echo", "payload": {"a": "x" * 10000},
                                  "scheduled_at": "2099-01-01T00:00:00Z"}] * 1000}).encode()

    def large_bodies() -> Step:
        caller = attacker.caller()
        return lambda: attacker.http(caller, "10 MB batch", "POST", "/v1/jobs/batch", batch)

    attacker.run(1, sit)
    attacker.repeat(4, failed_login, 0.01)
    attacker.repeat(4, lists)
    attacker.repeat(1, large_bodies, 1.0)
    attacker.finish()
