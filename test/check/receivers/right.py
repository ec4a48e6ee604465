# A right receiver. Usage: python3 right.py CLIENT_ID CLIENT_SECRET TOKEN
import hashlib
import hmac
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

CLIENT_ID = sys.argv[1].encode()
TOKEN = sys.argv[3].encode()
LIMIT = 1_048_576


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self):
        body = self.read_body()
        signatures = self.headers.get_all("ACCESS-SIGNATURE", [])
        if body is None:
            return
        token = parse_qs(urlsplit(self.path).query).get("token", [""])[0]
        if not hmac.compare_digest(token.encode(), TOKEN):
            return self.reply(401)
        if len(signatures) != 1 or not re.fullmatch("[0-9a-f]{64}", signatures[0]):
            return self.reply(401)
        if not hmac.compare_digest(hmac.new(CLIENT_ID, body, hashlib.sha256).hexdigest(), signatures[0]):
            return self.reply(401)
        try:
            envelope = json.loads(body)
            kind, data = envelope["type"], envelope.get("data")
            if isinstance(data, str):
                json.loads(data)
            self.reply(200 if isinstance(kind, str) else 400)
        except (ValueError, KeyError, TypeError, AttributeError):
            self.reply(400)

    def do_GET(self):
        self.reply(405)

    def read_body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
                if len(body) > LIMIT:
                    return self.reject_too_large()
            self.rfile.readline()
            return body
        length = int(self.headers.get("Content-Length", 0))
        if length > LIMIT:
            return self.reject_too_large()
        return self.rfile.read(length)

    def reject_too_large(self):
        self.close_connection = True
        self.reply(413)

    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
