"""How many pairs of a query and a key a kind of attention keeps, counted without making the mask."""

from attnviz.cost.operations import causal_pairs


def causal(queries: int, keys: int) -> int:
    """The last query sees every key, the one before it all but the last, and so on; n (n + 1) / 2 where there are as many."""
    if queries <= keys:
        return queries * (keys - queries) + causal_pairs(queries)
    return causal_pairs(keys)


def window(tokens: int, reach: int, *, is_causal: bool = False) -> int:
    """`reach` positions on each side and itself: n (2w + 1) − w (w + 1); looking back alone n (w + 1) − w (w + 1) / 2."""
    reach = min(reach, tokens - 1)
    if is_causal:
        return tokens * (reach + 1) - reach * (reach + 1) // 2
    return tokens * (2 * reach + 1) - reach * (reach + 1)


def blocks(tokens: int, size: int, *, is_causal: bool = False) -> int:
    """Blocks of `size` that see themselves alone; the last one may be smaller."""
    whole, rest = divmod(tokens, size)
    if is_causal:
        return whole * causal_pairs(size) + causal_pairs(rest)
    return whole * size**2 + rest**2


def neighbourhood(grid: tuple[int, int], reach: int, extra: int = 0, *, is_causal: bool = False) -> int:
    """In an image, `reach` rows and columns on each side; extra tokens (class, register) see all and are seen by all."""
    rows, columns = grid
    return _in_image(grid, window(rows, reach) * window(columns, reach), extra, is_causal)


def tiles(grid: tuple[int, int], size: int, extra: int = 0, *, is_causal: bool = False) -> int:
    """An image cut into size × size cells that see themselves alone; those at the edge may be smaller."""
    rows, columns = grid
    return _in_image(grid, blocks(rows, size) * blocks(columns, size), extra, is_causal)


def _in_image(grid: tuple[int, int], within: int, extra: int, is_causal: bool) -> int:
    cells = grid[0] * grid[1]
    both_ways = within + 2 * extra * cells + extra**2
    # What looks both ways looks back in half of the pairs that are not a token with itself.
    return (both_ways + cells + extra) // 2 if is_causal else both_ways


def strided(tokens: int, stride: int, *, is_causal: bool = False) -> int:
    """Positions at most `stride` away and every stride-th beyond them (Child et al. 2019)."""
    near = min(stride, tokens)
    far = (tokens - 1) // stride
    back = tokens * near - near * (near - 1) // 2 + far * tokens - stride * causal_pairs(far)
    return back if is_causal else 2 * back - tokens


def fixed(tokens: int, size: int, *, is_causal: bool = False) -> int:
    """The own block, and the last position of every other one (of every earlier one), Child et al. 2019."""
    whole, rest = divmod(tokens, size)
    if is_causal:
        earlier = size * (whole * (whole - 1) // 2) + rest * whole
        return blocks(tokens, size, is_causal=True) + earlier
    elsewhere = size * whole * (whole - 1) + rest * whole
    return blocks(tokens, size) + elsewhere


def global_window_random(tokens: int, global_tokens: int, reach: int, random_keys: int) -> int:
    """The first ones see all and are seen by all; the others a window and so many keys outside of both (Zaheer et al. 2020)."""
    seen = min(global_tokens, tokens)
    others = tokens - seen
    if not others:
        return tokens**2
    near = window(others, reach)
    return seen * tokens + seen * others + near + _drawn(others, reach, random_keys)


def _drawn(others: int, reach: int, random_keys: int) -> int:
    """All random keys of all queries: for each k up to `random_keys`, how many queries have at least k beyond their window.

    In the middle others − 1 − 2w are left; towards each end more, others − w − k places have at least k on their far side.
    """
    everywhere = others - 1 - 2 * reach
    return sum(others if k <= everywhere else 2 * max(0, others - reach - k) for k in range(1, random_keys + 1))
