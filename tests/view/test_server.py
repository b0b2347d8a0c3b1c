"""The server of a live page: who may connect to it, and how it begins."""

import io
import socket
import sys
import types
import urllib.parse
from pathlib import Path

import pytest
import rich.console
import viser
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.view import server as serving


def test_the_server_is_local_and_stays_private(server) -> None:
    assert server.get_host() == "127.0.0.1"
    assert server.request_share_url() is None
    address = serving.address(server)
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for other in [one for one in others if not one.startswith("127.")]:
        with socket.socket() as probe:
            probe.settimeout(2.0)
            assert probe.connect_ex((other, server.get_port())) != 0
    assert address.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_refused(server, four_bar: Path) -> None:
    done = CliRunner().invoke(main, ["view", str(four_bar), "--no-open", "--port", str(server.get_port())])
    assert done.exit_code == 2 and f"port {server.get_port()} cannot be used" in done.stderr


def test_no_browser_and_no_display(server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not serving.browse(server)


def test_nothing_is_said_beside_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook viser's banner, an address without the token, would stand above the page."""
    said = io.StringIO()
    console = rich.console.Console(file=said)
    monkeypatch.setattr(rich, "_console", console)
    console.print("heard")
    server = serving.open_page("a page")
    serving.stop_server(server)
    assert said.getvalue() == "heard\n" and not console.quiet


def test_a_notebook_opens_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not serving.in_notebook()
    kernel = types.ModuleType("ipykernel.zmqshell")
    kernel.ZMQInteractiveShell = types.SimpleNamespace(initialized=lambda: True)
    monkeypatch.setitem(sys.modules, "ipykernel.zmqshell", kernel)
    assert serving.in_notebook()


def connected(server, path: str, *headers: str, upgrade: bool = True) -> tuple[int, str]:
    """The status of a request for a path, and the address that it leads on to."""
    host = f"127.0.0.1:{server.get_port()}"
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *(header.format(host) for header in headers)]
    if upgrade:
        lines += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            f"Sec-WebSocket-Protocol: viser-v{viser.__version__}",
        ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", server.get_port()), timeout=20.0) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        head = connection.recv(1024).decode(errors="replace").split("\r\n\r\n")[0].splitlines()
    return int(head[0].split()[1]), next((line.removeprefix("Location: ") for line in head if line.startswith("Location: ")), "")


@pytest.mark.parametrize(("origin", "status"), [("http://{}", 101), ("http://localhost:1", 403), ("http://another.example", 403)])
def test_only_the_page_itself_may_connect(origin: str, status: int) -> None:
    """Another page in the same browser could move sliders and write files."""
    server = serving.open_page("a page")
    try:
        assert connected(server, f"/{server.keys.token}", f"Origin: {origin}")[0] == status
    finally:
        serving.stop_server(server)


def test_nobody_connects_without_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of another user has no origin and finds the port; the command line of the browser tells an address that works once."""
    server = serving.open_page("a page")
    seen: list[str] = []
    monkeypatch.setenv("BROWSER", "x")
    monkeypatch.setattr(serving.webbrowser, "open", lambda url: seen.append(url) is None)
    try:
        secret = urllib.parse.urlsplit(serving.address(server)).path
        for path in ("/", "/x", "/index.html", "/?token", f"{secret[:-2]}/", f"/x{secret}"):
            assert connected(server, path)[0] == 403
            assert connected(server, path, upgrade=False)[0] == 403
        assert connected(server, secret)[0] == connected(server, secret.rstrip("/"))[0] == 101
        assert connected(server, secret, upgrade=False)[0] == 200
        assert connected(server, f"{secret}../../server.py", upgrade=False)[0] == 404
        assert serving.browse(server) and server.keys.token not in seen[0]
        once = urllib.parse.urlsplit(seen[0]).path
        assert connected(server, once, upgrade=False) == (302, secret)
        assert connected(server, once, upgrade=False)[0] == 403
    finally:
        serving.stop_server(server)
