"""Downloads from a server on this machine that breaks off, forgets, lies, or is not there."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from nonfat.errors import DataError
from nonfat.evaluation.data.checks import Check
from nonfat.evaluation.data.download import download

CONTENT = bytes(range(256)) * 2000
SHA = Check("sha256", hashlib.sha256(CONTENT).hexdigest())
BLOB = Check("git blob", hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest())


class Server(ThreadingHTTPServer):
    daemon_threads = True
    content = CONTENT
    ranges = True  # whether it knows of them
    breaks_after = None  # so many bytes in each connection
    failures = 0  # so many answers of 503 first
    asked: list

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_GET(self):
        server, wanted = self.server, self.headers.get("Range")
        server.asked.append(wanted)
        start = int(wanted[6:-1]) if wanted and server.ranges else 0
        if self.path != "/file.npy":
            self.send_error(404)
        elif server.failures:
            server.failures -= 1
            self.send_error(503)
        elif start and start >= len(server.content):
            self.send_error(416)
        else:
            self.answer(start)

    def answer(self, start):
        server = self.server
        self.send_response(206 if start else 200)
        if start:
            end = len(server.content)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
        body = server.content[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.breaks_after])


@pytest.fixture
def server():
    with Server(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        server.address = f"http://127.0.0.1:{server.server_port}/file.npy"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def get(server, tmp_path):
    """A function that downloads without waiting between tries, and gives the path."""

    def get(check=SHA, address=None, tick=lambda count: None):
        path = tmp_path / "raw" / "file.npy"
        download(address or server.address, path, check, tick, pause=lambda seconds: None)
        return path

    return get


@pytest.mark.parametrize("check", [SHA, BLOB])
def test_a_file_arrives_whole(get, check):
    counts = []
    path = get(check, tick=counts.append)
    assert path.read_bytes() == CONTENT
    assert sum(counts) == len(CONTENT)
    assert [found.name for found in path.parent.iterdir()] == ["file.npy"]


def test_a_broken_connection_is_taken_up_where_it_broke(get, server):
    server.breaks_after = 200_000
    assert get().read_bytes() == CONTENT
    assert server.asked == [None, "bytes=200000-", "bytes=400000-"]


def test_a_server_without_ranges_starts_over(get, server, tmp_path):
    server.ranges = False
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "file.npy.part").write_bytes(CONTENT[:1000])
    assert get().read_bytes() == CONTENT


def test_an_earlier_run_is_continued(get, server, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "file.npy.part").write_bytes(CONTENT[:300_000])
    assert get().read_bytes() == CONTENT
    assert server.asked == ["bytes=300000-"]


@pytest.mark.parametrize("beginning", [b"x" * 1000, CONTENT + b"more"])
def test_a_part_of_something_else_is_thrown_away(get, tmp_path, beginning):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "file.npy.part").write_bytes(beginning)
    assert get().read_bytes() == CONTENT


def test_a_complete_part_only_needs_its_name(get, server, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "file.npy.part").write_bytes(CONTENT)
    assert get().read_bytes() == CONTENT


def test_a_busy_server_is_asked_again(get, server):
    server.failures = 2
    assert get().read_bytes() == CONTENT


def test_a_server_that_always_breaks_off_is_given_up_and_the_part_is_kept(get, server, tmp_path):
    server.ranges, server.breaks_after = False, 1000
    with pytest.raises(DataError, match=r"broke off\)\. The 1,000 bytes that came are kept: run"):
        get()
    assert (tmp_path / "raw" / "file.npy.part").stat().st_size == 1000
    assert len(server.asked) == 4


def test_a_file_that_is_not_there(get, server):
    with pytest.raises(DataError, match=r"404 Not Found\)\. Copy the file by hand to .*file\.npy"):
        get(address=server.address + "x")
    assert len(server.asked) == 1


def test_another_file_is_not_kept(get, server, tmp_path):
    server.content = CONTENT[::-1]
    with pytest.raises(DataError, match=r"not the published file: its sha256 is .*, expected .*by"):
        get()
    assert list((tmp_path / "raw").iterdir()) == []


def test_without_a_network(get):
    with pytest.raises(DataError, match=r"could not be downloaded \(.*refused.*\)\. Copy .*--data"):
        get(address="http://127.0.0.1:9/file.npy")


def test_a_folder_that_cannot_be_written(get, tmp_path):
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(DataError, match="could not be downloaded"):
        get()
