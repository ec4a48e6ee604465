# Stores payments as a database would: each body once, known statuses and fields only, and the text as Latin-1.
import hashlib
import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RANKS = ["Drafted", "Sent", "PendingAuth", "Authorized", "InProgress", "Complete", "Cancelled", "Closed"]
stored = set()
ranks = {}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = body.decode("latin-1").strip()
        expected = hmac.new(sys.argv[1].encode(), text.encode(), hashlib.sha256).hexdigest()
        if expected != self.headers.get("ACCESS-SIGNATURE"):
            return self.reply(401)
        envelope = json.loads(text)
        data = json.loads(envelope["data"])
        if expected in stored:
            return self.reply(409)
        stored.add(expected)
        if "PAYMENT" in envelope["type"]:
            rank = RANKS.index(data["status"])
            if rank < ranks.get(data["id"], 0):
                return self.reply(409)
            ranks[data["id"]] = rank
            len(data["amount"]["currency"])
        self.reply(200)

    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
server.handle_error = lambda *_: None
print(server.server_port, flush=True)
server.serve_forever()
