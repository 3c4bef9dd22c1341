# A receiver of webhooks on http.server: WEBHOOK_SECRET=whsec_… PORT=3000 python3 receiver.py

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import verify

# An empty secret would verify what anyone has signed with it.
SECRET = os.environ.get("WEBHOOK_SECRET", "")
if SECRET == "":
    raise SystemExit("set WEBHOOK_SECRET to the secret of the endpoint (whsec_…)")
# Keep these ids in your database, with the work itself in one transaction.
processed: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not verify(body, self.headers.get("Service-Signature", ""), SECRET):
            return self.answer(400)
        event = json.loads(body)
        if event["id"] not in processed:
            processed.add(event["id"])
            print(event["type"], event["data"]["object"]["id"], flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """No line for each request."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
