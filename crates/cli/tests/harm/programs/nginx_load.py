"""Four clients that keep their connections ask a server for the same again and again, and print the answers."""

import hashlib
import socket
import sys
import threading

PATHS = ["/", "/big.txt", "/empty", "/missing", "/re/12-abc", "/rw/index.html", "/list/", "/locked/x",
         "/proxy/big.txt", "/tls/index.html", "/auth", "/proxy/missing", "/../x", "/%00", "/" + "a" * 9000]
METHODS = ["GET", "GET", "HEAD", "POST", "GET", "PUT"]
FIELDS = ["", "Accept-Encoding: gzip\r\n", "Range: bytes=10-99,200-1000\r\n",
          "If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT\r\n", "Authorization: Basic bWU6c2VjcmV0\r\n"]
# What is another one in each run.
CHANGING = (b"Date", b"ETag", b"Last-Modified", b"Content-Type: multipart")


def body_of(stream, method, status, fields):
    """The body of an answer."""
    if method == "HEAD" or status[9:12] in (b"204", b"304"):
        return b""
    if b"Transfer-Encoding: chunked\r\n" in fields:
        data = b""
        while size := int(stream.readline(), 16):
            data += stream.read(size)
            stream.readline()
        stream.readline()
        return data
    length = next((int(field[15:]) for field in fields if field.startswith(b"Content-Length")), None)
    return stream.read() if length is None else stream.read(length)


def ask(connection, stream, method, path, field):
    """What the server answers, and whether it has closed."""
    body = b"x" * 20000 if method in ("POST", "PUT") else b""
    if body:
        field += f"Content-Length: {len(body)}\r\n"
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n".encode() + body)
    status, fields = stream.readline(), []
    while (line := stream.readline()) not in (b"\r\n", b""):
        fields.append(line)
    data = body_of(stream, method, status, fields)
    closes = status == b"" or b"Connection: close\r\n" in fields
    kept = [field for field in fields if not field.startswith(CHANGING)]
    # Parts have a number between them that is another one each time.
    is_parted = any(field.startswith(b"Content-Type: multipart") for field in fields)
    return status, kept, len(data), is_parted or hashlib.sha256(data).hexdigest(), closes


def client(number, rounds, answers):
    """Asks for all paths in turn."""
    connection = None
    for turn in range(rounds):
        if connection is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect("socket")
            stream = connection.makefile("rb")
        path, method = PATHS[(turn + number) % len(PATHS)], METHODS[turn // 16 % len(METHODS)]
        try:
            answer = ask(connection, stream, method, path, FIELDS[turn // 7 % len(FIELDS)])
        except (BrokenPipeError, ConnectionResetError):
            answer = (b"", [], 0, "", True)
        # Who refuses a body closes: whether the answer is read before that is a matter of time.
        is_refused = method in ("POST", "PUT") and answer[0][9:10] in (b"4", b"")
        answers.append((number, turn, path[:20], method, "refused" if is_refused else answer[:4]))
        if answer[-1] or is_refused:
            connection.close()
            connection = None


ALL = [[] for _ in range(4)]
CLIENTS = [threading.Thread(target=client, args=(n, int(sys.argv[1]), ALL[n])) for n in range(4)]
for thread in CLIENTS:
    thread.start()
for thread in CLIENTS:
    thread.join()
for answers in ALL:
    print(*answers, sep="\n")
