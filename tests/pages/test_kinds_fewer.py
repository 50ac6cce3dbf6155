"""The section of the page of kinds that makes tokens fewer."""

import pytest

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui import address
from attnviz.ui.kinds import fewer, fewer_picture, fewer_street
from attnviz.ui.views.kinds import KindsView
from attnviz.ui.views.kinds_fewer import METHODS, USERS, Fewer

from .conftest import no_trace_of_failure, said


def opened(open_page, language="en", **fields):
    view = KindsView(part="fewer", fewer=Fewer(**fields))
    app = open_page("kinds", view=address.encode(view), lang=language)
    no_trace_of_failure(app)
    assert not app.error
    return app


def shown(app):
    return app.session_state["store:kinds"].view.fewer


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("source", ["scene", "picture"])
def test_it_opens_in_its_language(open_page, language, source):
    app = opened(open_page, language, source=source)
    with speaking(language):
        assert translate(fewer.TOLD[source]["merge"]) in said(app)


@pytest.mark.parametrize("source", ["scene", "picture"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_chosen_and_undone(open_page, source, method):
    app = opened(open_page, source=source, method="pool" if method != "pool" else "crop")
    app.segmented_control(key="kinds:fewer method").set_value(method).run()
    no_trace_of_failure(app)
    assert shown(app).method == method
    app.button(key="kinds:undo").click().run()
    assert shown(app).method != method


def test_the_street_begins_with_a_child_merged_into_parked_cars(open_page):
    app = opened(open_page)
    (warning,) = app.warning
    assert "**child** has no token of its own any more: it is one with parked car 1, parked car 2." in warning.value
    # Persons merged into each other are said too.
    assert "**pedestrian 1** has no token of its own any more: it is one with pedestrian 2." in warning.value
    table = app.dataframe[0].value.set_index("road user")
    assert table.loc["child", "stands with"] == "parked car 1, parked car 2"
    # All three have the one number of the token they share.
    assert table.loc["child", "weight of its token"] == table.loc["parked car 1", "weight of its token"]


def test_what_is_lost_is_told_worst_first(open_page):
    for fields in ({}, {"method": "pool"}, {"source": "picture"}, {"source": "picture", "method": "pool"}):
        off = opened(open_page, **fields).dataframe[0].value["off by, %"].tolist()
        assert off == sorted(off, reverse=True)
        assert off[0] > 0


def test_with_a_token_for_everybody_nothing_is_lost(open_page):
    app = opened(open_page, users=USERS)
    assert not app.warning
    table = app.dataframe[0].value
    assert table["off by, %"].abs().max() == 0
    assert table["weight of its token"].tolist() == pytest.approx(table["weight before"].tolist(), abs=1e-6)
    before, after = said(app).split("goes from **")[1].split("**")[:3:2]
    assert before == after


def test_a_child_outside_the_view_has_no_token(open_page):
    app = opened(open_page, method="crop", radius=18.0)
    assert "**child** has no token: the model cannot look at it." in app.warning[0].value
    table = app.dataframe[0].value.set_index("road user")
    assert table.loc["child", "stands with"] == "no token"
    # With sight enough for all of them nobody is.
    assert not opened(open_page, method="crop", radius=60.0).warning


def test_the_ego_is_never_merged(open_page):
    for method in METHODS:
        table = opened(open_page, method=method, users=2, cell=40.0).dataframe[0].value
        assert not table["stands with"].str.contains("ego").any()


def test_the_number_of_tokens_is_the_sliders(open_page):
    app = opened(open_page)
    app.slider(key="kinds:fewer users").set_value(5).run()
    no_trace_of_failure(app)
    assert "**13** road users have become **5** tokens" in said(app)
    app.slider(key="kinds:fewer users").set_value(2).run()
    assert "**2** tokens" in said(app)


def test_a_picture_is_pooled_in_squares(open_page):
    app = opened(open_page, source="picture", method="pool", side=2)
    assert "**96** patches have become **24** tokens, and 9,216 pairs 576: 6.25 % of them." in said(app)
    app.slider(key="kinds:fewer side").set_value(1).run()
    assert "**96** tokens" in said(app)
    assert not app.warning
    assert not app.dataframe
    assert "Nothing: every patch is what it was." in said(app)


def test_the_child_in_the_picture_is_followed():
    """81 % of a patch is the child; in a block of four patches it is a quarter of what the four show together."""
    found = fewer_picture.seen(Fewer(source="picture", method="pool", side=2))
    clearest = int(found.child.argmax())
    members = [clearest, *found.kept.company(clearest)]
    assert len(members) == 4
    assert float(found.left[clearest]) == pytest.approx(sum(float(found.child[at]) for at in members) / 4)
    assert float(found.child.sum()) * 256 == pytest.approx(fewer_picture.drawing.child().sum())


def test_the_view_of_a_picture_can_leave_the_child_out(open_page):
    app = opened(open_page, source="picture", method="crop")
    assert "6 of the 6 patches with the child have no token" in app.warning[0].value
    # Of all patches without a token those of the child come first.
    assert (app.dataframe[0].value["child before, %"] > 0).tolist()[:7] == [True] * 6 + [False]
    app.slider(key="kinds:fewer columns").set_value((0, 12)).run()
    no_trace_of_failure(app)
    assert not app.warning
    app.slider(key="kinds:fewer columns").set_value((3, 3)).run()
    assert "at least one row and one column" in app.error[0].value
    assert shown(app).columns == (0, 12)


def test_the_street_is_the_one_that_the_model_sees():
    """Nobody of it is hidden from the ego, so that nothing is lost before anything is merged."""
    found = fewer_street.street("en")
    assert len(found.bodies) == len(fewer_street.STREET) + 1 == USERS
    assert [found.bodies[at].label for at in found.people] == ["child", "cyclist", "pedestrian 1", "pedestrian 2"]


def test_where_nothing_is_lost_no_empty_table_is_shown(open_page):
    app = opened(open_page, source="picture", method="pool", side=1)
    assert "every patch is what it was" in said(app)
    assert not app.dataframe


def test_a_small_probability_is_not_rounded_to_nothing(open_page):
    """Whom the ego sees within 5 metres is nobody; the model then judges a conflict very unlikely, not impossible."""
    app = opened(open_page, method="crop", radius=5.0)
    after = said(app).split("goes from **")[1].split("**")[2]
    assert after.strip("0.") != ""
