import hashlib
import hmac
import time


def verify(body: bytes, header: str, secret: str, now: float | None = None) -> bool:
    """`body` is the raw body, as received: request.get_data() in Flask, request.body in Django."""
    parts = [part.partition("=")[::2] for part in header.split(",")]
    t = next((value for name, value in parts if name == "t"), "")
    if not (t.isascii() and t.isdigit() and len(t) < 12) or abs((time.time() if now is None else now) - int(t)) > 300:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, value in parts)
