"""A receiver of webhooks that follows the specification of Standard Webhooks with Python's own library."""

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

TOLERANCE_S = 300


class Receiver(BaseHTTPRequestHandler):
    secret = b""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        sent = self.headers["webhook-timestamp"]
        signed = f"{self.headers['webhook-id']}.{sent}.".encode() + body
        digest = hmac.new(self.secret, signed, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        given = self.headers["webhook-signature"].split(" ")
        is_fresh = abs(time.time() - int(sent)) < TOLERANCE_S
        is_ours = is_fresh and any(hmac.compare_digest(one, expected) for one in given)
        self.send_response(204 if is_ours else 400)
        self.end_headers()

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"python": server.server_port}), flush=True)
secret = json.loads(sys.stdin.readline())["secret"]
Receiver.secret = base64.b64decode(secret.removeprefix("whsec_"))
server.serve_forever()
