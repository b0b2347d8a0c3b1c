"""The server of a page: on this machine only, on a free port, until Ctrl-C."""

import contextlib
import io
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from functools import partial
from typing import Any

import viser
import websockets.asyncio.server
from websockets.typing import Origin

HOST = "127.0.0.1"
AMBIENT = "/light from all sides"  # no body has such a name


class PortError(ValueError):
    """The port cannot be had."""


class LocalServer(viser.ViserServer):  # type: ignore[misc]  # viser is not looked into
    """A server that no page can ask to become public."""

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
def _own_pages_only(port: int) -> Iterator[None]:
    """Servers made within refuse connections from pages of other origins, which could move sliders and write files; viser has no option."""
    module: Any = websockets.asyncio.server
    serve = module.serve
    own = [None, *(Origin(f"http://{name}:{port}") for name in (HOST, "localhost"))]  # None: not a browser
    module.serve = partial(serve, origins=own)
    try:
        yield
    finally:
        module.serve = serve


def opened(title: str, port: int | None = None) -> LocalServer:
    """A server with an empty page. Raises PortError."""
    chosen = free_port(port)
    logging.getLogger("websockets").setLevel(logging.ERROR)
    with contextlib.redirect_stdout(io.StringIO()), _own_pages_only(chosen):  # its banner
        server = LocalServer(host=HOST, port=chosen, label=title, verbose=False)
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


def stopped(server: viser.ViserServer) -> None:
    """End the server; it would say so on standard output."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def address(server: viser.ViserServer) -> str:
    """Where the page is."""
    return f"http://{HOST}:{server.get_port()}"


def browse(url: str) -> bool:
    """Open the address in the user's browser. Whether there was one: not without a display."""
    headless = sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if headless and not os.environ.get("BROWSER"):
        return False
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False
