"""What a verdict shows on demand: pointers, hints, its JSON form."""

from typing import Any

from framegauge.facts import classify
from framegauge.gauge.context import Context
from framegauge.gauge.value_rules import UNSUPPORTED
from framegauge.native.verdict import Verdict


def pointer(frame: bytes, offset: int) -> str:
    # Imported when the caller looks at a finding; a gateway that only asks for `.ok` never does.
    from framegauge.explain.pointer import pointer as found

    return found(frame, offset)


def hint(rule: str, frame: bytes, offset: int) -> tuple[str, str] | None:
    from framegauge.explain.hints import hint as found

    return found(rule, frame, offset, classify(frame))


def unsupported(verdict: Verdict, context: Context) -> dict[str, Any]:
    """What the answer to an unsupported version holds beside the rule."""
    from json import loads

    supported = list(context.listed)
    for found in verdict.findings:
        if found.rule == UNSUPPORTED:
            return {"supported": supported, "requested": loads(found._frame[found.offset : found.end])}
    return {"supported": supported}  # another rule asked for this code


def to_dict(verdict: Verdict, context: Context) -> dict[str, Any]:
    """The object that `framegauge check --format json` prints."""
    frame, reply = verdict.frame, verdict.reply
    return {
        "schema": "framegauge.verdict/1",
        "kind": verdict.kind.value,
        "ok": verdict.ok,
        "revision": verdict.revision,
        "revisions": sorted(frame.revisions),
        "direction": context.direction,
        "transport": context.transport,
        "size": frame.size,
        "id": _text(frame.id),
        "method": None if frame.method is None else frame.method.encode("utf-8", "replace").decode(),
        "respond": verdict.respond,
        "status": verdict.status,
        "findings": [finding.to_dict() for finding in verdict.findings],
        "not_judged": sorted(verdict.not_judged),
        "reply": None
        if reply is None
        else {
            "code": reply.code,
            "id": _text(reply.id),
            "status": reply.status,
            "message": reply.message,
            "data": reply.data,
            "body": reply.body().decode(),
        },
        "items": [item.to_dict() for item in verdict.items],
    }


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")
