"""What might have come next, and what did."""

from attnviz.figures import describe_next_words, next_words, palette, table_next_words

WORDS, SHARES = ["noir", "<unk>", "$x$"], [0.93, 0.05, 2e-7]


def test_every_probability_is_a_bar_with_its_number(plotted):
    bars = plotted.trace(next_words(WORDS, SHARES, chosen=0), "probability")
    assert list(bars.x) == SHARES
    assert list(bars.text) == ["0.930", "0.050", "2.0·10⁻⁷"]
    assert list(bars.customdata) == [0, 1, 2]


def test_the_written_word_is_marked_without_colour_too():
    figure = next_words(WORDS, SHARES, chosen=1)
    assert list(figure.layout.yaxis.ticktext) == ["noir", "<b>&lt;unk&gt; ◂</b>", "&#36;x&#36;"]
    assert list(figure.data[0].marker.color) == [palette.CATEGORICAL[0], palette.HIGHLIGHT, palette.CATEGORICAL[0]]


def test_a_word_too_long_for_the_axis_is_shortened_there():
    assert len(next_words(["x" * 300], [1.0], chosen=None).layout.yaxis.ticktext[0]) == 24


def test_description_and_table():
    assert describe_next_words(WORDS, SHARES, chosen=0) == (
        "The likeliest next words: noir 0.930, <unk> 0.050, $x$ 2.0·10⁻⁷. Written: noir."
    )
    assert table_next_words(WORDS, SHARES)["probability"].tolist() == SHARES
