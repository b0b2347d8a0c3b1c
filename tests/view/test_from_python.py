"""Result.view: the page of a result, opened from Python; without a browser."""

import socket
import time
import urllib.request
from pathlib import Path

import pytest

import mbsim
from mbsim.cli.models import list_shipped
from mbsim.results import ResultError


def test_a_result_opens_its_page(four_bar: Path) -> None:
    """`view` returns at once; the page plays in a thread of its own, answers at its address, and is gone after `stop`."""
    with mbsim.open_result(four_bar) as result, result.view(browser=False) as viewer:
        assert viewer.running and viewer.url in repr(viewer) and f'href="{viewer.url}"' in viewer._repr_html_()
        with urllib.request.urlopen(viewer.url, timeout=30) as answer:
            assert answer.status == 200
        playback = viewer._page.playback
        playback.speed.value = "10"
        playback.play(True)
        end = time.monotonic() + 60.0
        while not playback.k:
            assert time.monotonic() < end
            time.sleep(0.02)
    assert not viewer.running and repr(viewer) == "<mbsim viewer, stopped>"
    viewer.stop()
    with pytest.raises(OSError, match=r"refused|reset"):
        urllib.request.urlopen(viewer.url, timeout=5)


def test_results_are_viewed_together_and_refused(four_bar: Path) -> None:
    with mbsim.open_result(four_bar) as result:
        with result.view(result, camera="top", browser=False) as viewer:
            assert [one.name for one in viewer._page._shown] == ["four-bar 1", "four-bar 2"]
        with pytest.raises(ValueError, match="sideways"):
            result.view(camera="sideways", browser=False)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(ValueError, match="cannot be used"):
                result.view(port=port, browser=False)
        other = mbsim.simulate(mbsim.load_model(list_shipped()["pendulum"]), end=0.01)
        with pytest.raises(ResultError, match="one mechanism"):
            result.view(other, browser=False)


def test_schematics_of_a_model_and_of_a_result(four_bar: Path) -> None:
    """Both are figures that a notebook shows; what cannot be drawn is refused."""
    model = mbsim.load_model(list_shipped()["four_bar"])
    assert model.draw(names=False)._repr_png_().startswith(b"\x89PNG")
    assert mbsim.assemble(model).draw(as_drawn=True, camera="top").get_size_inches().min() > 1.0
    with mbsim.open_result(four_bar) as result:
        assert "t = 0.5 s" in result.draw(at=0.5).texts[0].get_text()
        with pytest.raises(ResultError, match="the result is from 0 s to"):
            result.draw(at=1e6)
    with pytest.raises(ValueError, match="no bodies"):
        mbsim.load_model(list_shipped()["rolling_disk"]).draw()
    with pytest.raises(ValueError, match="unknown camera 'sideways'"):
        model.draw(camera="sideways")


def test_modes_are_plotted() -> None:
    modes = mbsim.modes("double_pendulum")
    assert len(modes.plot().axes) > 1 and len(modes.plot("eigenvalues").axes) == 1
    with pytest.raises(ValueError, match="the file has no 'mode:99'"):
        modes.plot("mode:99")


def test_a_mistyped_keyword_is_told() -> None:
    with pytest.raises(ValueError, match=r"unknown option 'paramters' .*did you mean 'parameters'"):
        mbsim.simulate(list_shipped()["pendulum"], paramters={"m": 1.0})
