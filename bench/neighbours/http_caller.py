"""One HTTP connection that is kept open, with a key, from an address of its own."""
import http.client
import json


class HttpCaller:
    def __init__(self, port: int, key: str, address: str, seconds: float) -> None:
        self._port = port
        self._key = key
        self._address = address
        self._seconds = seconds
        self._connection: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """Status and body. An OSError means that there was no answer."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._key}"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", self._port, timeout=self._seconds, source_address=(self._address, 0))
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            text = answer.read()
            if answer.will_close:
                self.close()
            return answer.status, text
        except http.client.HTTPException as problem:
            self.close()
            raise OSError(f"{type(problem).__name__}: {problem}") from problem
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
