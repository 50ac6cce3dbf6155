"""Pictures of every page, to be looked at: `make screenshots` writes them to screenshots/."""

import sys
from pathlib import Path
from typing import Any

from attnviz.ui import address
from attnviz.ui.intersection.starts import crowd, two_heads
from attnviz.ui.views.block import BlockView, Depth
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.driving import Drive
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.kinds import KindsView, Source
from attnviz.ui.views.playground import PlaygroundView
from attnviz.ui.views.quiz import QuizView
from attnviz.ui.views.translation import TranslationView
from benchmarks.site import ROOT, browser, server

TWO_LANGUAGES = TranslationView(
    beside="en-ja", text="the small black cat sleeps under the big table .", word=2, gold=True
)


def driving(**fields: Any) -> str:
    """The Intersection with a model that learnt."""
    return f"intersection?view={address.encode(IntersectionView(source='model', drive=Drive(**fields)))}"


def kinds(source: Source, **fields: Any) -> str:
    """Two kinds side by side."""
    return f"kinds?view={address.encode(KindsView(**{**KindsView().with_source(source), **fields}))}"


SHOTS = {
    "start": "",
    "playground": "playground",
    "playground-intersection": f"playground?view={address.encode(PlaygroundView.start('intersection'))}",
    "kinds": "kinds",
    "kinds-picture": kinds("picture", left="deformable", right="window", heads=1, head=0),
    "kinds-street": kinds("scene", right="differential"),
    "kinds-gates": kinds("sentence", left="squeeze", right="linear"),
    "kinds-positions": f"kinds?view={address.encode(KindsView(part='positions'))}",
    "kinds-fewer": f"kinds?view={address.encode(KindsView(part='fewer'))}",
    "kinds-fused": f"kinds?view={address.encode(KindsView(part='fused'))}",
    "intersection": "intersection",
    "intersection-two-heads": f"intersection?view={address.encode(two_heads())}",
    "intersection-crowd": f"intersection?view={address.encode(crowd())}",
    "intersection-model": driving(probe=True),
    "intersection-moving": driving(moving=True, t=1.0),
    "intersection-study": driving(part="study"),
    "intersection-remedies": driving(part="remedies", question="missed"),
    "intersection-live": driving(part="live"),
    "intersection-file": f"intersection?view={address.encode(IntersectionView(source='file'))}",
    "cost": "cost",
    "cost-convolution": f"cost?view={address.encode(CostView(part='convolution'))}",
    "cost-detector": f"cost?view={address.encode(CostView(part='detector'))}",
    "cost-time": f"cost?view={address.encode(CostView(part='time'))}",
    "cost-fit": f"cost?view={address.encode(CostView(part='fit'))}",
    "quiz": "quiz",
    "quiz-other": f"quiz?view={address.encode(QuizView(seed=6))}",
    "heads": f"heads?view={address.encode(HeadsView(layer=2, head=5, query=3))}",
    "heads-long": f"heads?view={address.encode(HeadsView(text='The black cat crossed the street. ' * 24))}",
    "block": "block",
    "block-off": f"block?view={address.encode(BlockView(layer=3, off='attention'))}",
    "block-norm": f"block?view={address.encode(BlockView(part='norm'))}",
    "block-reach": f"block?view={address.encode(BlockView(part='reach', reach=Depth(kind='shifted')))}",
    "translation": "translation",
    "translation-languages": f"translation?view={address.encode(TWO_LANGUAGES)}",
    "stories": "stories",
    "presenting": "?story=not-zero&step=2",
}
LOOKS = [("light", 1400, "en"), ("dark", 1400, "ja"), ("light", 700, "ru"), ("dark", 700, "en")]
# What is drawn last.
CHART = ".attnviz-chart[data-attnviz-painted]"
LAST = {
    "cost": ".attnviz-chart[data-attnviz-painted] >> nth=1",
    "cost-convolution": ".attnviz-chart[data-attnviz-painted] >> nth=2",
    "intersection-model": "[data-testid=stDataFrame] >> nth=1",
    "intersection-moving": "[data-testid=stDataFrame]",
    "intersection-live": "[data-testid=stButton]",
    "intersection-file": "[data-testid=stFileUploader]",
    "block": ".attnviz-chart[data-attnviz-painted] >> nth=1",
    "block-off": "[data-testid=stDataFrame]",
    "heads-long": ".attnviz-matrix[data-attnviz-painted] >> nth=1",
    "stories": ".attnviz-theme[data-attnviz-painted]",
    "quiz": "[data-testid=stRadio] >> nth=1",
    "quiz-other": "[data-testid=stRadio] >> nth=1",
}
FULL = "document.querySelector('[data-testid=stMain]').scrollHeight"


def main(folder: Path = ROOT / "screenshots") -> int:
    folder.mkdir(exist_ok=True)
    with server(ROOT / "app.py") as site, browser() as chromium:
        for name, path in SHOTS.items():
            for theme, width, language in LOOKS:
                page = chromium.new_page(viewport={"width": width, "height": 1000}, color_scheme=theme)
                page.goto(f"{site}/{path}{'&' if '?' in path else '?'}lang={language}")
                page.wait_for_selector(LAST.get(name, CHART), timeout=180_000)
                page.wait_for_function(
                    "!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')"
                )
                page.set_viewport_size({"width": width, "height": int(page.evaluate(FULL)) + 40})
                page.wait_for_load_state("networkidle")
                page.screenshot(path=folder / f"{name}-{theme}-{width}-{language}.png")
                page.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
