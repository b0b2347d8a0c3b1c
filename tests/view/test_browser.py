"""Pages in a real browser."""

import time
from pathlib import Path

import pytest
from browser import Browser, chromium, ended, local, started, wait_for
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.cli.models import list_shipped


@pytest.fixture
def browser(tmp_path: Path):
    found = Browser(tmp_path / "profile")
    yield found
    found.close()


@pytest.mark.slow
def test_the_page_of_a_result_in_a_browser(browser, four_bar: Path) -> None:
    process, url = started(four_bar)
    try:
        browser.open(url)
        wait_for(lambda: "t = 0 s of 0 to 1 s" in browser.text(), "the page shows no time")
        browser.click("Play")
        wait_for(lambda: "t = 0 s of 0" not in browser.text(), "the play button does not move time")
        assert local(browser.requests, url) and not browser.errors
    finally:
        ended(process)


@pytest.mark.slow
def test_the_page_of_a_model_in_a_browser(browser, tmp_path: Path) -> None:
    """A parameter is typed in; the chart of the run changes. Then the file is broken and the line is on the page."""
    model = tmp_path / "model.yaml"
    model.write_text(list_shipped()["four_bar"].read_text())
    process, url = started(model)
    try:
        browser.open(url)
        wait_for(lambda: "1 degree of freedom" in browser.text(), "the page says nothing of the model")
        assert all(word in browser.text() for word in ("Parameters", "omega", "Move by hand"))
        model.write_text(model.read_text().replace("crank.A, coupler.A", "crank.A, coupler.Z"))
        wait_for(lambda: "model.yaml:" in browser.text() and "unknown point 'Z'" in browser.text(), "no error on the page")
        assert local(browser.requests, url) and not browser.errors
    finally:
        ended(process)


@pytest.mark.slow
def test_an_exported_page_plays_from_the_disk(browser, tmp_path: Path, four_bar: Path) -> None:
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["view", str(four_bar), "-o", str(page)]).exit_code == 0
    browser.open(page.as_uri())
    time.sleep(2.0)
    value = "document.querySelector('input')?.value"
    wait_for(lambda: browser.run(value) not in (None, ""), "there is no playback bar")
    first = browser.run(value)
    wait_for(lambda: browser.run(value) != first, "the exported page does not play")
    assert all(request.startswith(("file:", "data:", "blob:")) for request in browser.requests) and not browser.errors


def test_chromium_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.skip.Exception, match="no Chromium here"):
        chromium()
