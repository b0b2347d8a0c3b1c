"""The server of a page: on this machine only, on a free port, until Ctrl-C."""

import contextlib
import io
import logging
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import rich
import viser
import websockets.asyncio.server
from websockets.http11 import Request
from websockets.typing import Origin

HOST = "127.0.0.1"
AMBIENT = "/light from all sides"  # no body has such a name


class PortError(ValueError):
    """The port cannot be had."""


@dataclass
class Keys:
    """Who knows one of these may see and drive the page: it is the first part of the path."""

    token: str
    tickets: set[str] = field(default_factory=set)  # each leads to the token once


class LocalServer(viser.ViserServer):  # type: ignore[misc]  # viser is not looked into
    """A server that no page can ask to become public."""

    keys: Keys

    def request_share_url(self, verbose: bool = True) -> str | None:
        """viser's tunnel to a public address stays closed."""
        return None


def free_port(wanted: int | None = None) -> int:
    """A port of this machine that nobody listens on: the wanted one, or any. Raises PortError."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted or 0))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PortError(f"port {wanted} cannot be used ({reason.lower()}); give another one with --port, or none") from None
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _own_pages_only(port: int, keys: Keys) -> Iterator[None]:
    """Servers made within refuse pages of other origins and whoever does not know the token: they could move sliders and write files.

    The token is the first part of the path, which the page takes over to the address that it connects to. viser has no option for this.
    """
    module: Any = websockets.asyncio.server
    serve = module.serve
    own = [None, *(Origin(f"http://{name}:{port}") for name in (HOST, "localhost"))]  # None: not a browser

    def guarded(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        def known(connection: Any, request: Request) -> Any:
            first, _, rest = request.path.removeprefix("/").partition("/")
            if (given := first.partition("?")[0]) in keys.tickets:
                keys.tickets.discard(given)
                answer = connection.respond(HTTPStatus.FOUND, "")
                answer.headers["Location"] = f"/{keys.token}/"
                return answer
            if not secrets.compare_digest(given.encode(), keys.token.encode()):
                return connection.respond(HTTPStatus.FORBIDDEN, "Open the whole address that mbsim printed.\n")
            return process_request(connection, replace(request, path=f"/{rest}")) if process_request is not None else None

        return serve(*arguments, process_request=known, origins=own, **options)

    module.serve = guarded
    try:
        yield
    finally:
        module.serve = serve


@contextlib.contextmanager
def _no_banner() -> Iterator[None]:
    """viser tells its address without the token, and its end, on standard output or, in a notebook, as outputs of their own."""
    console = rich.get_console()
    quiet, console.quiet = console.quiet, True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = quiet


def open_page(title: str, port: int | None = None) -> LocalServer:
    """A server with an empty page. Raises PortError."""
    chosen, keys = free_port(port), Keys(secrets.token_urlsafe(16))
    logging.getLogger("websockets").setLevel(logging.ERROR)
    with _no_banner(), _own_pages_only(chosen, keys):
        server = LocalServer(host=HOST, port=chosen, label=title, verbose=False)
    server.keys = keys
    if server.get_port() != chosen:  # somebody was quicker
        server.stop()
        raise PortError(f"port {chosen} was taken meanwhile; try again")
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.gui.main_panel.dock_right()
    _lit(server)
    return server


def _lit(server: viser.ViserServer) -> None:
    """Plain lights. viser's picture of a city as light, and its shadows, take seconds on a machine without a graphics card."""
    server.scene.configure_environment_map(None)
    server.scene.configure_default_lights(cast_shadow=False)
    server.scene.add_light_ambient(AMBIENT, intensity=2.0)


def stop_server(server: viser.ViserServer) -> None:
    """End the server."""
    with _no_banner():
        server.stop()


def address(server: LocalServer) -> str:
    """Where the page is. The part behind the port is secret: another user of the machine can find the port, and not this."""
    return f"http://{HOST}:{server.get_port()}/{server.keys.token}/"


def _ticket(server: LocalServer) -> str:
    """An address that leads there once, for the command line of a browser, which other users can read."""
    server.keys.tickets.add(found := secrets.token_urlsafe(16))
    return f"http://{HOST}:{server.get_port()}/{found}/"


def in_notebook() -> bool:
    """Whether a notebook shows what a cell returns; IPython in a terminal does not."""
    kernel = sys.modules.get("ipykernel.zmqshell")
    return kernel is not None and kernel.ZMQInteractiveShell.initialized()


def browse(server: LocalServer) -> bool:
    """Open the page in the user's browser. Whether there was one: not without a display."""
    headless = sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if headless and not os.environ.get("BROWSER"):
        return False
    try:
        return webbrowser.open(_ticket(server))
    except (webbrowser.Error, OSError):
        return False
