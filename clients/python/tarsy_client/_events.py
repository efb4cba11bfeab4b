"""Parser of server-sent events, line by line."""

from __future__ import annotations

import json
from typing import Any


class Events:
    """Assembles events from the lines of a stream."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def take(self, line: str) -> tuple[str, dict[str, Any]]:
        """Return the event that this line completes; an empty name and no data if it completes none."""
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
