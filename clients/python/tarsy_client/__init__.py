"""Client for asking a tarsy fleet questions about its knowledge store."""

from ._client import AsyncClient, Client
from ._types import Accepted, Answer, Citation, RedactionFlag, TarsyError

__all__ = [
    "Accepted",
    "Answer",
    "AsyncClient",
    "Citation",
    "Client",
    "RedactionFlag",
    "TarsyError",
]
