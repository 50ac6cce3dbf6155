"""The wiring of a block: where it branches, what is added, what is switched off."""

from attnviz.figures import Box, Branch, OnTheLine, block_diagram, describe_block_diagram, table_block_diagram

ATTENTION = Box("Attention", "#D55E00", "attention")
POST = [Branch((ATTENTION,), "length 1", "length 5"), OnTheLine(Box("Norm"), "length 6")]


def _told(figure):
    return [note.text for note in figure.layout.annotations if note.text]


def test_numbers_stand_at_the_arrows_in_their_order():
    figure = block_diagram("length 4", POST)
    assert _told(figure) == ["length 4", "Attention", "length 1", "length 5", "Norm", "length 6"]
    heights = [note.y for note in figure.layout.annotations if note.text]
    assert heights == sorted(heights), "from top to bottom"


def test_a_box_with_a_key_can_be_clicked_and_others_cannot(plotted):
    figure = block_diagram("length 4", POST)
    assert list(plotted.trace(figure, "parts").customdata) == ["attention"]
    assert len(plotted.trace(figure, "sums").y) == 1


def test_what_is_switched_off_is_struck_out_and_said():
    off = Box("Feed-forward", "#009E73", "feed-forward", off=True)
    stages = [Branch((Box("Norm"), off), "length 0", "length 4")]
    assert "<s>Feed-forward</s>" in _told(block_diagram("length 4", stages))
    assert describe_block_diagram("length 4", stages) == (
        "In: length 4. Norm → Feed-forward (switched off) adds length 0; then length 4."
    )


def test_markup_in_a_name_stays_text():
    assert "&lt;b&gt;" in _told(block_diagram("", [OnTheLine(Box("<b>"), "")]))


def test_the_table_has_a_row_for_each_step():
    table = table_block_diagram("length 4", POST)
    assert table["step"].tolist() == ["in", "Attention", "Norm"]
    assert table["then"].tolist() == ["length 4", "length 5", "length 6"]
