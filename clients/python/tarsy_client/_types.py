"""What the API answers. Members that a newer fleet adds are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Statuses of sessions that have ended.
ENDED = frozenset({"completed", "failed", "cancelled"})


class TarsyError(Exception):
    """The fleet refused a request, or did not answer one."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Accepted:
    """A question that will be answered."""

    session_id: str
    #: What the next question of the conversation names.
    conversation_id: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Accepted:
        return cls(session_id=value["session_id"], conversation_id=value["conversation_id"])


@dataclass(frozen=True)
class Citation:
    """A source of an answer."""

    #: Id of the chunk; `sql` for the lookup, `live` for a command on a host.
    id: str
    collection: str | None
    key: str | None
    #: Its beginning.
    text: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Citation:
        return cls(
            id=str(value["id"]),
            collection=value.get("collection"),
            key=value.get("key"),
            text=value.get("text") or "",
        )


@dataclass(frozen=True)
class RedactionFlag:
    """What a policy found; never the text that it found."""

    policy: str
    action: str
    kind: str
    count: int

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> RedactionFlag:
        return cls(
            policy=value.get("policy") or "",
            action=value.get("action") or "",
            kind=value.get("kind") or "",
            count=value.get("count") or 0,
        )


@dataclass(frozen=True)
class Answer:
    """A question, with its answer once there is one."""

    session_id: str
    conversation_id: str
    question: str | None
    status: str
    #: The answer in Markdown with its sources, or that there is none.
    text: str | None
    #: The answer alone.
    answer: str | None
    #: Whether a source supports it.
    supported: bool | None
    citations: tuple[Citation, ...]
    invented: tuple[str, ...]
    #: What policies found, and as `masking` what was masked before.
    redaction_flags: tuple[RedactionFlag, ...]
    #: Lookups that failed or were refused, and why.
    errors: tuple[str, ...]
    #: Why there is no answer.
    error_message: str | None
    #: How it came about, if it was asked with `debug=True`: stages, route, results with their scores.
    trace: Mapping[str, Any] | None
    #: What the model has written so far, not checked. Only `stream` shows it, and only before the answer.
    draft: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing will change any more."""
        return self.status in ENDED

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Answer:
        return cls(
            session_id=value["session_id"],
            conversation_id=value["conversation_id"],
            question=value.get("question"),
            status=value["status"],
            text=value.get("text"),
            answer=value.get("answer"),
            supported=value.get("supported"),
            citations=tuple(Citation.of(one) for one in value.get("citations") or ()),
            invented=tuple(value.get("invented") or ()),
            redaction_flags=tuple(
                RedactionFlag.of(one) for one in value.get("redaction_flags") or ()
            ),
            errors=tuple(value.get("errors") or ()),
            error_message=value.get("error_message"),
            trace=value.get("trace"),
        )
