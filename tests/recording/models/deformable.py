"""Deformable attention as equations 2 and 3 of its paper (arXiv 2010.04159) have it, in float64."""

import torch


def scattered(shapes, locations, weights):
    """Weights "items heads n keys" of sampling points "items n heads levels points 2", x and y from 0 to 1.

    A point between keys counts for the four around it, for each the more, the nearer it is; outside there is nothing.
    """
    levels = []
    for level, (rows, columns) in enumerate(shapes):
        x, y = (locations[:, :, :, level].double() * torch.tensor([columns, rows]) - 0.5).unbind(-1)
        found = torch.zeros(*x.shape[:3], rows * columns, dtype=torch.float64)
        for row in (y.floor(), y.floor() + 1):
            for column in (x.floor(), x.floor() + 1):
                inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
                share = (1 - (y - row).abs()) * (1 - (x - column).abs()) * weights[:, :, :, level].double()
                found.scatter_add_(-1, (row * columns + column).where(inside, 0).long(), share.where(inside, 0))
        levels.append(found)
    return torch.cat(levels, -1).transpose(1, 2)
