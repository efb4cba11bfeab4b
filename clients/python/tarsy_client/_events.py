"""Server-sent events, line by line."""

from __future__ import annotations

import json
from typing import Any


class Events:
    """Puts the lines of a stream together to events."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def take(self, line: str) -> tuple[str, dict[str, Any]]:
        """The event that the line ends; without a name and empty if it ends none."""
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        if line or not self._data:
            return "", {}
        name, data = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        try:
            decoded = json.loads(data)
        except ValueError:
            decoded = None
        return name, decoded if isinstance(decoded, dict) else {}
