"""Clients for asking questions: blocking, and with asyncio."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

import httpx

from ._events import Events
from ._types import Accepted, Answer, TarsyError

#: Times that a request is made whose connection broke, or that the fleet was too busy for.
ATTEMPTS = 4
#: Seconds between two looks at a question, and between two streams of one.
INTERVAL = 0.5
#: Seconds within which a stream says that it is alive, with some to spare.
ALIVE = 30.0
#: Statuses that pass by themselves.
TRANSIENT = frozenset({429, 502, 503, 504})

#: Filters by field: the value, or any of the values, that the field must have.
Filters = Mapping[str, str | Sequence[str]]


class _Common:
    """Requests and responses that both clients share."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        self._settings: dict[str, Any] = {
            "base_url": url.rstrip("/"),
            "headers": {"Authorization": f"Bearer {key}"} if key else {},
            "timeout": httpx.Timeout(timeout),
            # A redirect would carry the key elsewhere.
            "follow_redirects": False,
        }

    @staticmethod
    def _question(
        question: str,
        collection: str | None,
        filters: Filters | None,
        conversation: str | None,
        debug: bool,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"question": question}
        if collection is not None:
            body["collection"] = collection
        if filters:
            body["filters"] = {
                field: [values] if isinstance(values, str) else list(values)
                for field, values in filters.items()
            }
        if conversation is not None:
            body["conversation"] = conversation
        if debug:
            body["debug"] = True
        return body

    @staticmethod
    def _read(response: httpx.Response) -> dict[str, Any]:
        try:
            value = response.json()
        except ValueError:
            value = None
        if not isinstance(value, dict):
            value = {}
        if response.is_success and value:
            return value
        code = str(value.get("code") or "unexpected_answer")
        detail = str(value.get("detail") or value.get("title") or response.reason_phrase)
        raise TarsyError(response.status_code, code, detail)

    @staticmethod
    def _seen(event: str, value: dict[str, Any], last: Answer | None) -> Answer | None:
        """Return the state after an event; `None` if nothing has changed."""
        if event == "answer":
            now: Answer | None = Answer.of(value)
            if now is not None and last is not None and not now.ended:
                now = replace(now, draft=last.draft)
        elif event == "draft" and last is not None:
            now = replace(last, draft=value.get("text"))
        else:
            now = last
        return None if now == last else now

    @staticmethod
    def _pause(attempt: int, response: httpx.Response | None) -> float:
        after = response.headers.get("Retry-After", "") if response is not None else ""
        seconds = float(after) if after.isdigit() else 0.25 * 2**attempt
        return min(seconds, 10.0)


def _alive(deadline: float) -> float:
    """Return the read timeout of a stream."""
    return max(min(ALIVE, deadline - time.monotonic()), 1.0)


def _path(session: Accepted | str) -> str:
    given = session.session_id if isinstance(session, Accepted) else session
    # Accept only a valid session id, because it becomes a part of the path.
    return f"/api/v1/ask/{uuid.UUID(given)}"


class Client(_Common):
    """Blocking client."""

    def __init__(self, url: str, key: str | None = None, timeout: float = 30.0) -> None:
        super().__init__(url, key, timeout)
        self._http = httpx.Client(**self._settings)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        conversation: str | None = None,
        debug: bool = False,
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Ask a question. To continue a conversation, pass its id as `conversation`.

        `filters` maps fields of the records to the value, or any of the values, that they must have.
        """
        body = self._question(question, collection, filters, conversation, debug)
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return Accepted.of(self._send("POST", "/api/v1/ask", json=body, headers=headers))

    def stream(self, session: Accepted | str, *, timeout: float = 600.0) -> Iterator[Answer]:
        """Yield the question each time it changes. The last one has the answer.

        `draft` is the text that the model has written so far. It is not checked, and the answer replaces it.
        """
        path, deadline = _path(session), time.monotonic() + timeout
        last: Answer | None = None
        while True:
            # Restart a stream that breaks. Poll a fleet that does not support streams.
            try:
                with self._http.stream("GET", f"{path}/stream", timeout=_alive(deadline)) as response:
                    if response.is_success:
                        events = Events()
                        for line in response.iter_lines():
                            seen = self._seen(*events.take(line), last)
                            if seen is not None:
                                yield seen
                                last = seen
                                if seen.ended:
                                    return
                            if time.monotonic() > deadline:
                                break
            except httpx.TransportError:
                pass
            now = Answer.of(self._send("GET", path))
            if last is None or now != replace(last, draft=None):
                yield now
                last = now
            if now.ended:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"no answer within {timeout:g} s")
            time.sleep(INTERVAL)

    def wait(self, session: Accepted | str, *, timeout: float = 600.0) -> Answer:
        """Wait for the answer."""
        *_, last = self.stream(session, timeout=timeout)
        return last

    def _send(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        attempt = 1
        while True:
            response = None
            try:
                response = self._http.request(method, path, **options)
                if response.status_code not in TRANSIENT or attempt == ATTEMPTS:
                    return self._read(response)
            except httpx.TransportError as error:
                if attempt == ATTEMPTS:
                    raise TarsyError(0, "unreachable", str(error)) from error
            time.sleep(self._pause(attempt, response))
            attempt += 1


class AsyncClient(_Common):
    """Client for asyncio."""

    def __init__(self, url: str, key: str | None = None, timeout: float = 30.0) -> None:
        super().__init__(url, key, timeout)
        self._http = httpx.AsyncClient(**self._settings)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        conversation: str | None = None,
        debug: bool = False,
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Ask a question. To continue a conversation, pass its id as `conversation`.

        `filters` maps fields of the records to the value, or any of the values, that they must have.
        """
        body = self._question(question, collection, filters, conversation, debug)
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return Accepted.of(await self._send("POST", "/api/v1/ask", json=body, headers=headers))

    async def stream(
        self, session: Accepted | str, *, timeout: float = 600.0
    ) -> AsyncIterator[Answer]:
        """Yield the question each time it changes. The last one has the answer.

        `draft` is the text that the model has written so far. It is not checked, and the answer replaces it.
        """
        path, deadline = _path(session), time.monotonic() + timeout
        last: Answer | None = None
        while True:
            try:
                async with self._http.stream("GET", f"{path}/stream", timeout=_alive(deadline)) as response:
                    if response.is_success:
                        events = Events()
                        async for line in response.aiter_lines():
                            seen = self._seen(*events.take(line), last)
                            if seen is not None:
                                yield seen
                                last = seen
                                if seen.ended:
                                    return
                            if time.monotonic() > deadline:
                                break
            except httpx.TransportError:
                pass
            now = Answer.of(await self._send("GET", path))
            if last is None or now != replace(last, draft=None):
                yield now
                last = now
            if now.ended:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"no answer within {timeout:g} s")
            await asyncio.sleep(INTERVAL)

    async def wait(self, session: Accepted | str, *, timeout: float = 600.0) -> Answer:
        """Wait for the answer."""
        last: Answer | None = None
        async for last in self.stream(session, timeout=timeout):
            pass
        assert last is not None
        return last

    async def _send(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        attempt = 1
        while True:
            response = None
            try:
                response = await self._http.request(method, path, **options)
                if response.status_code not in TRANSIENT or attempt == ATTEMPTS:
                    return self._read(response)
            except httpx.TransportError as error:
                if attempt == ATTEMPTS:
                    raise TarsyError(0, "unreachable", str(error)) from error
            await asyncio.sleep(self._pause(attempt, response))
            attempt += 1
