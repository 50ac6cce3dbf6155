"""What two forms took in memory, on logarithmic axes."""

from attnviz.figures import describe_peak_curve, peak_curve, table_peak_curve

PEAKS = {"plain": [2**20, 2**22], "fused": [2**16, 2**17]}


def test_every_measured_length_is_a_point_with_its_amount(plotted):
    figure = peak_curve([128, 256], PEAKS, last=1024)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert list(plotted.trace(figure, "plain").text) == ["1 MiB", "4 MiB"]
    assert list(figure.layout.xaxis.tickvals) == [128, 256, 512, 1024]


def test_words_and_table_say_the_same():
    assert describe_peak_curve([128, 256], PEAKS) == (
        "plain: at most 4 MiB at 256 positions. fused: at most 128 KiB at 256 positions."
    )
    assert describe_peak_curve([], {"plain": []}) == "Nothing was measured yet."
    assert table_peak_curve([128, 256], PEAKS)["fused"].tolist() == [2**16, 2**17]
