"""From a key press on a slider to the last element painted: the Playground against a bare page."""

from playwright.sync_api import Browser, Page

from benchmarks.report import Result, ratios
from benchmarks.site import ROOT, browser, server

PRESSES = 30
WARMING_UP = 5
BOUND = 2.5

# The last change of anything in the page's main part counts, then the frame that shows it. A page is
# taken to have come to rest when nothing has changed for QUIET milliseconds.
WATCH = """
window.attnvizBench = {last: 0, pressed: 0};
new MutationObserver(changes => {
    const main = document.querySelector('[data-testid="stMain"]');
    if (changes.some(change => main && main.contains(change.target))) {
        const mark = performance.now();
        attnvizBench.last = mark;
        requestAnimationFrame(() => { if (attnvizBench.last === mark) attnvizBench.painted = performance.now(); });
    }
}).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
addEventListener('keydown', () => { attnvizBench.pressed = performance.now(); attnvizBench.last = 0; attnvizBench.painted = 0; }, true);
"""
QUIET = 500
AT_REST = f"attnvizBench.painted && performance.now() - attnvizBench.last > {QUIET}"


def measure() -> list[Result]:
    """Presses in turns: one on the bare page, one on the Playground."""
    with server(ROOT / "benchmarks" / "bare.py") as bare, server(ROOT / "app.py") as site, browser() as chromium:
        pages = [_open(chromium, bare), _open(chromium, f"{site}/playground")]
        times: list[list[float]] = [[], []]
        for press in range(WARMING_UP + PRESSES):
            for page, measured in zip(pages, times, strict=True):
                page.bring_to_front()
                took = _press(page)
                if press >= WARMING_UP:
                    measured.append(took)
    note = f"Bare page {sorted(times[0])[PRESSES // 2]:.0f} ms, Playground {sorted(times[1])[PRESSES // 2]:.0f} ms in this run."
    return [Result("Playground, key press to paint", ratios(times[1], times[0]), "× a bare page", BOUND, note)]


def _open(chromium: Browser, address: str) -> Page:
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.add_init_script(WATCH)
    page.goto(address)
    # The last slider in the page's main part: on the Playground a component of a vector.
    page.locator('[data-testid="stMain"] input[type="range"]').last.wait_for(state="attached")
    page.wait_for_function(AT_REST)
    page.locator('[data-testid="stMain"] input[type="range"]').last.focus()
    return page


def _press(page: Page) -> float:
    page.keyboard.press("ArrowRight")
    page.wait_for_function(AT_REST)
    return float(page.evaluate("attnvizBench.painted - attnvizBench.pressed"))
