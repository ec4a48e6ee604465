"""A receiver of webhook notifications: verifies each and prints what it made of it, one JSON line a request."""

import hashlib
import hmac
import json
import sys
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT_ID = sys.argv[1].encode()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(CLIENT_ID, body, hashlib.sha256).hexdigest()
        genuine = hmac.compare_digest(expected, self.headers.get("ACCESS-SIGNATURE", ""))
        complete = len(body) == int(self.headers["Content-Length"])
        line = {"genuine": genuine, "complete": complete, "contentType": self.headers["Content-Type"], "hex": body.hex()}
        try:
            envelope = json.loads(body, parse_float=Decimal)
            data = envelope["data"]
            data = json.loads(data, parse_float=Decimal) if isinstance(data, str) else data
            line["kind"] = envelope["type"]
            line["amount"] = str(data["amount"]["number"])
            line["status"] = data["status"]
        except (ValueError, KeyError, TypeError):
            pass
        # One write, as several threads do it.
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        self.send_response(200 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
