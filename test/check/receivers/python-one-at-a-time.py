# Serves one connection at a time, needs a Content-Length, and compares texts that may not be ASCII.
import hashlib
import hmac
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        signature = self.headers.get("ACCESS-SIGNATURE")
        if signature is None:
            return self.reply(401)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(sys.argv[1].encode(), body, hashlib.sha256).hexdigest()
        self.reply(200 if hmac.compare_digest(expected, signature) else 401)

    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
server.handle_error = lambda *_: None
print(server.server_port, flush=True)
server.serve_forever()
