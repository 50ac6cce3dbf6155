"""The Intersection's street: how soon a line follows the pointer, and how soon a key changes its width."""

from playwright.sync_api import Browser, Page

from attnviz.ui import address
from attnviz.ui.intersection.starts import crowd
from attnviz.ui.views.intersection import IntersectionView
from benchmarks.report import Result, ratios
from benchmarks.site import ROOT, browser, server

PRESSES = 40
WARMING_UP = 5
MOVES = 60
BOUND_WIDTH = 1.5
BOUND_FRAMES = 2.0

# From the event to the first frame that begins after the change of what is watched: by then it has been painted.
WATCH = """
window.attnvizBench = {};
window.attnvizWatch = (element, options, event) => {
    const bench = window.attnvizBench;
    addEventListener(event, () => { bench.began ??= performance.now(); }, true);
    new MutationObserver(() => {
        if (bench.began === undefined || bench.took !== undefined) return;
        const began = bench.began;
        requestAnimationFrame(() => { bench.took ??= performance.now() - began; });
    }).observe(element, {subtree: true, ...options});
    new MutationObserver(() => { bench.last = performance.now(); }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
};
"""
# The rest of the page is drawn before the next press.
AT_REST = "performance.now() - (attnvizBench.last ?? 0) > 500"
TOOK = "attnvizBench.took !== undefined"
LEARNT = IntersectionView(source="model")
PARKED = ".attnviz-weight[data-user=parked]"


def measure() -> list[Result]:
    with (
        server(ROOT / "benchmarks" / "bare_component.py") as bare,
        server(ROOT / "app.py") as site,
        browser() as chromium,
    ):
        crowded = f"{site}/intersection?view={address.encode(crowd())}"
        return [
            _key_to_width(chromium, bare, site),
            _drag_to_effect(chromium, bare, f"{site}/intersection?view={address.encode(LEARNT)}"),
            _pointer_to_line(chromium, f"{site}/intersection", "parked", "Intersection, pointer move to line painted"),
            _pointer_to_line(chromium, crowded, "user-1", "the same among forty road users"),
        ]


def _key_to_width(chromium: Browser, bare: str, site: str) -> Result:
    """Presses in turns: one on the bare component's slider, one on a component of the parked car's key."""
    compared = _open(chromium, bare, ".echo", "{characterData: true, childList: true}", "input[type=range]")
    street = _open(
        chromium, f"{site}/intersection", PARKED, "{attributes: true, attributeFilter: ['stroke-width']}",
        'input[type=range][data-number="key:0"]',
    )  # fmt: skip
    times: list[list[float]] = [[], []]
    for press in range(WARMING_UP + PRESSES):
        for page, measured in zip((compared, street), times, strict=True):
            page.bring_to_front()
            page.evaluate("attnvizBench.began = attnvizBench.took = undefined")
            page.keyboard.press("ArrowRight")
            page.wait_for_function(TOOK)
            if press >= WARMING_UP:
                measured.append(float(page.evaluate("attnvizBench.took")))
            page.wait_for_function(AT_REST)
    middles = [sorted(measured)[PRESSES // 2] for measured in times]
    note = f"Bare component {middles[0]:.0f} ms, width {middles[1]:.0f} ms in this run."
    found = ratios(times[1], times[0])
    return Result("Intersection, key press to new width", found, "× a bare component", BOUND_WIDTH, note)


def _drag_to_effect(chromium: Browser, bare: str, url: str) -> Result:
    """Arrow keys in turns: on the bare component's slider, and on the oncoming car, whose weight a model then changes."""
    compared = _open(chromium, bare, ".echo", "{characterData: true, childList: true}", "input[type=range]")
    oncoming = ".attnviz-weight[data-user=oncoming]"
    street = _open(
        chromium,
        url,
        oncoming,
        "{attributes: true, attributeFilter: ['stroke-width']}",
        ".attnviz-user[data-id=oncoming]",
    )
    times: list[list[float]] = [[], []]
    for press in range(WARMING_UP + PRESSES):
        for page, measured, key in (
            (compared, times[0], "ArrowRight"),
            (street, times[1], "ArrowDown" if press % 2 else "ArrowUp"),
        ):
            page.bring_to_front()
            page.evaluate("attnvizBench.began = attnvizBench.took = undefined")
            page.keyboard.press(key)
            page.wait_for_function(TOOK)
            if press >= WARMING_UP:
                measured.append(float(page.evaluate("attnvizBench.took")))
            page.wait_for_function(AT_REST)
    middles = [sorted(measured)[PRESSES // 2] for measured in times]
    note = f"Bare component {middles[0]:.0f} ms, new weights and effects {middles[1]:.0f} ms in this run."
    return Result(
        "Intersection with a model, a move to its new weight",
        ratios(times[1], times[0]),
        "× a bare component",
        None,
        note,
    )


def _pointer_to_line(chromium: Browser, url: str, user: str, name: str) -> Result:
    """A road user dragged in small steps; each step from the pointer's event to the line's end on the screen."""
    line = f".attnviz-weight[data-user={user}]"
    page = _open(chromium, url, line, "{attributes: true, attributeFilter: ['x2', 'y2']}", None, "pointermove")
    frame = float(page.evaluate(FRAME))
    box = page.locator(f".attnviz-user[data-id={user}] .attnviz-body").bounding_box()
    assert box is not None  # noqa: S101
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 10, y + 10)
    frames = []
    for step in range(MOVES):
        page.evaluate("attnvizBench.began = attnvizBench.took = undefined")
        page.mouse.move(x - 12 - step * 3, y + 12 + (step % 7))
        page.wait_for_function(TOOK)
        frames.append(float(page.evaluate("attnvizBench.took")) / frame)
    page.mouse.up()
    note = f"A frame took {frame:.1f} ms in this run."
    return Result(name, tuple(frames), "frames", BOUND_FRAMES, note)


# The median time between two frames of this page.
FRAME = """
new Promise(done => {
    const marks = [];
    const mark = now => {
        marks.push(now);
        if (marks.length < 60) return requestAnimationFrame(mark);
        const steps = marks.slice(1).map((mark, at) => mark - marks[at]).sort((one, other) => one - other);
        done(steps[steps.length >> 1]);
    };
    requestAnimationFrame(mark);
})
"""


def _open(chromium: Browser, url: str, watched: str, options: str, focused: str | None, event: str = "keydown") -> Page:
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.add_init_script(WATCH)
    page.goto(url)
    page.locator(watched).first.wait_for(state="attached")
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')")
    page.evaluate(f"attnvizWatch(document.querySelector('{watched}'), {options}, '{event}')")
    if focused:
        page.locator(focused).focus()
    return page
