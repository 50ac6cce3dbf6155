"""The focus goes with what Streamlit puts elsewhere, however slowly and in whichever order the pieces come."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent / "site" / "app.py"
# Two steps with a button each, as Streamlit marks them.
STEPS = """() => {
  const home = document.createElement("div");
  home.id = "steps";
  home.innerHTML = `<div class="st-key-one"><button>one</button></div><div class="st-key-two"><button>two</button></div>`;
  document.body.append(home);
  window.step = (name) => document.querySelector(`#steps .st-key-${name}`);
}"""


@pytest.fixture
def page(start_app, chromium_page):
    page = chromium_page(f"{start_app(SITE).url}/state")
    page.wait_for_selector(".attnviz-share[data-attnviz-painted]")
    page.evaluate(STEPS)
    page.locator("#steps .st-key-one button").focus()
    return page


def focused(page):
    return expect(page.locator("#steps :focus"))


def test_what_is_put_elsewhere_keeps_it(page):
    page.evaluate("document.querySelector('#steps').append(step('one'))")
    focused(page).to_have_text("one")


def test_what_is_made_into_another_step_where_it_stands_gives_it_up(page):
    # A slow page: first the place of “one” becomes “two”, then, later, that of “two” becomes “one”.
    page.evaluate("""() => {
      const [first, second] = document.querySelectorAll("#steps > div");
      first.className = "st-key-two";
      first.firstChild.textContent = "two";
      return new Promise((done) => setTimeout(() => {
        second.className = "st-key-one";
        second.firstChild.textContent = "one";
        done();
      }, 200));
    }""")
    focused(page).to_have_text("one")


def test_a_copy_that_stood_before_the_old_one_went_gets_it(page):
    page.evaluate("""() => {
      document.querySelector("#steps").append(step("one").cloneNode(true));
      return new Promise((done) => setTimeout(() => { step("one").remove(); done(); }, 200));
    }""")
    focused(page).to_have_text("one")


def test_what_goes_for_good_leaves_it_with_nobody(page):
    page.evaluate("step('one').remove()")
    page.evaluate("document.querySelector('#steps').append(document.createElement('p'))")
    focused(page).to_have_count(0)


def test_whoever_leaves_it_or_takes_it_elsewhere_is_not_called_back(page):
    page.evaluate("document.activeElement.blur()")
    page.evaluate("step('two').className = 'st-key-two other'")
    focused(page).to_have_count(0)
    page.locator("#steps .st-key-two button").focus()
    page.evaluate("document.querySelector('#steps').append(step('one'))")
    focused(page).to_have_text("two")
