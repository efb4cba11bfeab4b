"""Responses of the API. Members that a newer fleet adds are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Statuses of sessions that have ended.
ENDED = frozenset({"completed", "failed", "cancelled"})


class TarsyError(Exception):
    """The fleet refused or did not answer a request."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Accepted:
    """A question that was accepted."""

    session_id: str
    #: Id to pass as `conversation` with the next question.
    conversation_id: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Accepted:
        return cls(session_id=value["session_id"], conversation_id=value["conversation_id"])


@dataclass(frozen=True)
class Citation:
    """A source of an answer."""

    #: Id of the chunk; `sql` for an SQL lookup, `live` for a command on a host.
    id: str
    collection: str | None
    key: str | None
    #: Beginning of the source's text.
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
    """Finding of a policy, without the text that was found."""

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
    #: The answer in Markdown with its sources, or a note that there is none.
    text: str | None
    #: The answer without its sources.
    answer: str | None
    #: Whether a source supports it.
    supported: bool | None
    citations: tuple[Citation, ...]
    invented: tuple[str, ...]
    #: Findings of policies. The policy `masking` stands for text that was masked before.
    redaction_flags: tuple[RedactionFlag, ...]
    #: Lookups that failed or were refused, and why.
    errors: tuple[str, ...]
    #: Why there is no answer.
    error_message: str | None
    #: How the answer was found, if the question was asked with `debug=True`: stages, route, results with scores.
    trace: Mapping[str, Any] | None
    #: Text that the model has written so far, unchecked. Only `stream` returns it, and only before the answer.
    draft: str | None = None

    @property
    def ended(self) -> bool:
        """Whether the question has ended and will not change any more."""
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
