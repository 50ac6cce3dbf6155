"""The Intersection with a model that learnt, as a person uses it: drag, play, click a lane, train, open a file."""

import re
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect

from attnviz.attention import Attention
from attnviz.scenes import Agent, Scenes, write
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace
from attnviz.ui.intersection.driving.compute import judge
from attnviz.ui.views.driving import Drive
from attnviz.ui.views.intersection import IntersectionView

pytestmark = pytest.mark.browser

PATIENCE = 90_000
LINE = '.attnviz-weight[data-user="{}"]'


def view(**fields):
    return IntersectionView(source="model", drive=Drive(**fields))


def opened(chromium_page, link, **fields):
    page = chromium_page(link(view(**fields)))
    page.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=PATIENCE)
    page.get_by_text("Conflict if the ego turns now, says the model").wait_for(timeout=PATIENCE)
    return page


def weight(page, name):
    return float(page.locator(LINE.format(name)).get_attribute("data-weight"))


def probability(page):
    return page.locator('[data-testid="stMetricValue"]').inner_text()


def test_the_lines_are_the_models_weights(chromium_page, link):
    page = opened(chromium_page, link)
    expected = judge(Drive()).weights(Drive())
    for name in ("oncoming", "pedestrian", "parked"):
        assert weight(page, name) == pytest.approx(expected[name], abs=1e-5)


def test_a_dragged_road_user_changes_weights_and_decision(chromium_page, link):
    page = opened(chromium_page, link)
    before, said = weight(page, "oncoming"), probability(page)
    page.locator('.attnviz-user[data-id="oncoming"]').focus()
    for _press in range(6):
        page.keyboard.press("Shift+ArrowDown")
    expect(page.locator('.attnviz-user[data-id="oncoming"]')).to_have_attribute("data-y", "15")
    page.wait_for_function(
        f"Math.abs(document.querySelector('{LINE.format('oncoming')}').dataset.weight - {before}) > 1e-4"
    )
    expect(page.locator('[data-testid="stMetricValue"]')).not_to_have_text(said)
    oncoming, *others = Drive().users
    place = oncoming.place.model_copy(update={"y": 15.0})
    moved = Drive(users=(oncoming.model_copy(update={"place": place}), *others))
    expect(page.locator('[data-testid="stMetricValue"]')).to_have_text(f"{judge(moved).probability:.3f}")
    page.get_by_role("button", name="Undo").click()


def test_time_goes_on_by_step_and_by_a_click_on_a_lane(chromium_page, link):
    page = opened(chromium_page, link, moving=True, scene=3, t=1.0)
    page.get_by_role("button", name="A step on").click()
    expect(page.get_by_text("1.1", exact=True).first).to_be_visible(timeout=PATIENCE)
    lanes = page.locator(".attnviz-chart[data-attnviz-painted]").first
    lanes.wait_for(timeout=PATIENCE)
    plot = lanes.locator(".nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 8)
    expect(page.locator('[data-testid="stSliderThumbValue"]').first).not_to_have_text("1.1", timeout=PATIENCE)
    # Nobody can be dragged there.
    user = page.locator('.attnviz-user[data-id="parked-1"]')
    x = user.get_attribute("data-x")
    box = user.locator(".attnviz-body").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 60, steps=4)
    page.mouse.up()
    expect(user).to_have_attribute("data-x", x)


def test_a_scene_is_played_and_paused(chromium_page, link):
    page = opened(chromium_page, link, moving=True, scene=3)
    ego = page.locator('.attnviz-user[data-id="ego"]')
    start = ego.get_attribute("data-y")
    page.get_by_role("button", name="Play").click()
    expect(ego).not_to_have_attribute("data-y", start, timeout=PATIENCE)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=PATIENCE)


def test_a_training_is_watched_and_stopped(chromium_page, link):
    # Two layers: they learn slowly enough to be stopped, and are looked at from the first second.
    page = chromium_page(link(view(part="live", kind="self", live_runouts=10)))
    page.get_by_role("button", name="Train", exact=True).click(timeout=PATIENCE)
    page.get_by_role("progressbar").first.wait_for(timeout=PATIENCE)
    page.locator(".attnviz-chart[data-attnviz-painted]").first.wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Stop", exact=True).first.click()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".attnviz-chart[data-attnviz-painted]").first).to_be_visible(timeout=PATIENCE)


def test_a_dot_chooses_its_model(chromium_page, link):
    page = chromium_page(link(view(part="study")))
    page.locator(".attnviz-chart[data-attnviz-painted] .scatterlayer .point").first.wait_for(timeout=PATIENCE)
    page.locator(".attnviz-chart .scatterlayer .point").first.click(force=True)
    expect(page.get_by_text(re.compile("Reliability: hazard 0, 0 run-outs, seed 0"))).to_be_visible(timeout=PATIENCE)


@pytest.fixture
def own(tmp_path) -> Path:
    rows = [
        Agent("me", "car", 100.0, 50.0, 0.0, 5.0, 0.0, is_ego=True),
        Agent("van", "van", 112.0, 50.2, 0.0, 0.0, 0.0),
    ]
    write(Scenes.of_moment(rows), tmp_path / "own.csv")
    return tmp_path / "own.csv"


def test_a_scene_file_is_opened_drawn_and_measured(chromium_page, link, own):
    page = chromium_page(link(IntersectionView(source="file")))
    page.locator('[data-testid="stMain"] input[type="file"]').set_input_files(own, timeout=PATIENCE)
    page.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=PATIENCE)
    expect(page.locator('.attnviz-user[data-id="van"]')).to_have_attribute("data-x", "12")
    expect(page.get_by_text("Risk at this moment")).to_be_visible(timeout=PATIENCE)
    page.locator('[data-testid="glide-cell-1-0"]').filter(has_text="van").wait_for(state="attached", timeout=PATIENCE)


def test_a_trace_beside_a_scene_file_draws_its_weights_by_id(chromium_page, link, own, tmp_path):
    tokens = Tokens(("van", "me", "somebody"), kind="road-user", ids=("van", "me", "else"))
    rows = torch.tensor([[0.2, 0.3, 0.5], [0.125, 0.625, 0.25], [1.0, 0.0, 0.0]])
    attention = Attention.from_weights(rows, name="decoder", query_tokens=tokens, key_tokens=tokens)
    Trace([attention], origin=Origin(kind="recorded", model="mine")).save(tmp_path / "moment.safetensors")
    page = chromium_page(link(IntersectionView(source="file")))
    page.locator('[data-testid="stMain"] input[type="file"]').set_input_files(own, timeout=PATIENCE)
    page.get_by_text("Weights that your model gave").click(timeout=PATIENCE)
    page.locator('[data-testid="stMain"] input[type="file"]').last.set_input_files(
        tmp_path / "moment.safetensors", timeout=PATIENCE
    )
    expect(page.get_by_text("On tokens that are not drawn here stand weights of 0.250 together: else.")).to_be_visible(
        timeout=PATIENCE
    )
    expect(page.locator('.attnviz-user[data-id="van"]')).to_have_attribute("aria-label", re.compile("0.125"))


def test_an_ego_is_asked_for_where_the_file_names_none(chromium_page, link, tmp_path):
    file = tmp_path / "tracks.csv"
    lines = ["track_id,frame_id,timestamp_ms,agent_type,x,y,vx,vy,psi_rad,length,width"]
    lines += [
        f"{track},{step},{step * 100},car,{track * 9 + step},2.5,10,0,0,4,1.8"
        for track in (1, 2)
        for step in range(1, 6)
    ]
    file.write_text("\n".join(lines) + "\n")
    page = chromium_page(link(IntersectionView(source="file")))
    page.locator('[data-testid="stMain"] input[type="file"]').set_input_files(file, timeout=PATIENCE)
    page.get_by_text("Which road user is the ego?").wait_for(timeout=PATIENCE)
    page.get_by_role("combobox").last.click()
    page.get_by_role("option", name="2", exact=True).click()
    page.wait_for_selector(".attnviz-scene[data-attnviz-painted]", timeout=PATIENCE)
    expect(page.locator('.attnviz-user[data-id="1"]')).to_have_attribute("data-x", "-9")
