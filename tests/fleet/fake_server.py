#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fake_server.py FOLDER [CERTIFICATE]: a server on 127.0.0.1 that is wrong in the way that the file
FOLDER/mode names at each request. It writes its port to FOLDER/port. In mode ok it does as
ClickHouse does, and appends the rows of each insert to FOLDER/rows."""
import gzip
import http.server
import os
import socket
import ssl
import struct
import sys
import time

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 30
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def keep(self, body):
        if self.headers.get("Content-Encoding") == "gzip":
            with open(folder + "/rows", "ab") as rows:
                rows.write(gzip.decompress(body))
        with open(folder + "/users", "a") as users:
            users.write("%s %s\n" % (self.headers.get("X-ClickHouse-User"),
                                     self.headers.get("X-ClickHouse-Key")))

    def do_GET(self):
        open(folder + "/followed", "w").close()
        self.answer(200, {})

    def do_POST(self):
        with open(folder + "/mode") as mode_file:
            mode = mode_file.read().strip()
        if mode == "closes":
            self.close_connection = True
            return
        if mode == "resets":
            self.reset()
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        own = {"X-ClickHouse-Server-Display-Name": "fake"}
        getattr(self, "mode_" + mode)(body, own)

    resets = 0

    def reset(self):
        """Now before the request is read, now behind it, now in the answer: a client sees another
        error each time."""
        Handler.resets += 1
        if Handler.resets % 3:
            self.rfile.read(int(self.headers["Content-Length"]))
        if Handler.resets % 3 == 2:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def mode_ok(self, body, own):
        self.keep(body)
        self.answer(200, own)

    def mode_once(self, _, own):
        with open(folder + "/mode", "w") as mode_file:
            mode_file.write("ok")
        self.answer(500, {}, b"oops")

    def mode_lazy(self, body, own):
        time.sleep(1.5)
        self.mode_ok(body, own)

    def mode_talks(self, _, own):
        self.answer(200, own, b"all is well")

    def mode_late(self, _, own):
        self.answer(200, own, b"Code: 252, e.displayText() = DB::Exception: Too many parts., "
                    b"e.what() = DB::Exception\n")

    def mode_html(self, _, own):
        self.answer(200, {"Content-Type": "text/html"}, b"<html>It works!</html>")

    def mode_nonsense(self, _, own):
        self.close_connection = True
        self.wfile.write(os.urandom(3000))

    def mode_redirect(self, _, own):
        self.answer(302, {"Location": "http://127.0.0.1:%d/" % self.server.server_port})

    def mode_500(self, _, own):
        self.answer(500, {}, b"oops")

    def mode_full(self, _, own):
        self.answer(507, {})

    def mode_disk(self, _, own):
        self.answer(500, own, b"Code: 243, e.displayText() = DB::Exception: Cannot reserve "
                    b"1.00 MiB, not enough space., e.what() = DB::Exception\n")

    def mode_password(self, _, own):
        self.answer(401, own, b"Code: 193, e.displayText() = DB::Exception: Wrong password for "
                    b"user \x1b[31mfleet, e.what() = DB::Exception\n")

    def mode_cut(self, body, own):
        self.keep(body)
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-ClickHouse-Server-Display-Name: fake\r\n"
                         b"Content-Length: 1000\r\n\r\nhalf")

    def rows(self, body, own, end):
        """As a store of a fleet, but what ends the answer to a question."""
        if b"system.tables" in body:
            self.answer(200, own, b"ReplacingMergeTree\n")
            return
        self.close_connection = True
        row = b"\t".join([b"host"] + [b"7"] * 20) + b"\n"
        rows = row * 4
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-ClickHouse-Server-Display-Name: fake\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n" +
                         b"%x\r\n%s\r\n" % (len(rows), rows) + end)

    def mode_cut_rows(self, body, own):
        self.rows(body, own, b"")

    def mode_torn_rows(self, body, own):
        self.rows(body, own, b"4\r\nhost\r\n0\r\n\r\n")

    def mode_file(self, _, own):
        """The content of FOLDER/answer, whatever was asked for."""
        with open(folder + "/answer", "rb") as answer:
            self.answer(200, own, answer.read())

    def mode_slow(self, _, own):
        self.close_connection = True
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100:
            self.wfile.write(bytes([byte]))
            time.sleep(0.1)

    def mode_trickle(self, body, own):
        """A row that comes slowly, and never ends."""
        if b"system.tables" in body:
            self.answer(200, own, b"ReplacingMergeTree\n")
            return
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-ClickHouse-Server-Display-Name: fake\r\n\r\n")
        while True:
            self.wfile.write(b"7")
            time.sleep(0.1)

    def mode_endless(self, _, own):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-ClickHouse-Server-Display-Name: fake\r\n\r\n")
        while True:
            self.wfile.write(b"x" * 1000000)

    def mode_headers(self, _, own):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-More: " + b"x" * 10000 + b"\r\n")


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(folder + "/port.new", "w") as port:
    port.write(str(server.server_port))
os.rename(folder + "/port.new", folder + "/port")
server.serve_forever()
