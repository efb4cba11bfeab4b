"""Asks a fleet with both clients; its last line is what the test looks at, as JSON."""

import asyncio
import json
import sys
from dataclasses import asdict

from tarsy_client import Answer, AsyncClient, Client, TarsyError


def refused(client: Client, **arguments: object) -> str:
    try:
        client.ask("x", **arguments)  # type: ignore[arg-type]
    except TarsyError as error:
        return f"{error.status} {error.code}"
    return "accepted"


def filtered(client: Client, model: str | list[str]) -> dict[str, object]:
    accepted = client.ask("tc-10000?", collection="test_cases", filters={"model": model})
    return asdict(client.wait(accepted))


def blocking(url: str) -> dict[str, object]:
    with Client(url, key="a key that this fleet does not ask for") as client:
        accepted = client.ask("tc-10000?", idempotency_key="once", debug=True)
        again = client.ask("tc-10000?", idempotency_key="once", debug=True)
        states = list(client.stream(accepted))
        return {
            "asked_once": accepted == again,
            "before": sorted({state.status for state in states[:-1]}),
            "drafts": [state.draft for state in states if state.draft],
            "answer": asdict(states[-1]),
            "same": client.wait(accepted.session_id) == states[-1],
            "unknown": refused(client, conversation="00000000-0000-7000-8000-000000000000"),
            "filtered": [
                filtered(client, ["Harrier X1", "Kestrel 210"]),
                filtered(client, "Harrier X1"),
            ],
            "invalid_filter": refused(client, filters={"No Field": "x"}),
            "invalid": refused(client, collection="No Collection"),
        }


async def asynchronous(url: str, conversation: str) -> tuple[list[str], Answer]:
    async with AsyncClient(url) as client:
        accepted = await client.ask("And that one?", conversation=conversation)
        states = [state async for state in client.stream(accepted)]
        return [state.draft for state in states if state.draft], states[-1]


def unreachable() -> str:
    try:
        Client("http://127.0.0.1:1").ask("x")
    except TarsyError as error:
        return error.code
    return "reached"


def main() -> None:
    url = sys.argv[1]
    seen = blocking(url)
    answer = seen["answer"]
    assert isinstance(answer, dict)
    drafts, follow_up = asyncio.run(asynchronous(url, answer["conversation_id"]))
    later = {"follow_up": asdict(follow_up), "later_drafts": drafts}
    print(json.dumps({**seen, **later, "unreachable": unreachable()}))


main()
