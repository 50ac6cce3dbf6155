"""What the model hands out as bands, as rows of all keys."""

import torch


def dense(band, far, everywhere, side):
    """The rows "n × n" of one item and head, out of the form that the documentation of the model describes.

    A band row is [global keys in turn, then keys i − side … i + side]; the far rows are those of the global
    positions in turn, over all keys.
    """
    length, count = len(band), int(everywhere.sum())
    most = band.shape[1] - 2 * side - 1
    found = torch.zeros(length, length)
    places = everywhere.nonzero().flatten().tolist()
    for query in range(length):
        for number, key in enumerate(places):
            found[query, key] += band[query, number]
        for step in range(-side, side + 1):
            if 0 <= query + step < length:
                found[query, query + step] += band[query, most + side + step]
    for number, query in enumerate(places[:count]):
        found[query] = far[:, number]
    return found
