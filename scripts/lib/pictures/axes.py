"""Axes, and what stands for a peer in every plot."""
import math


class Log:
    def __init__(self, least, greatest, begin, end):
        self._least, self._greatest, self._begin, self._end = math.log(least), math.log(greatest), begin, end

    def __call__(self, value):
        share = (math.log(value) - self._least) / (self._greatest - self._least)
        return self._begin + share * (self._end - self._begin)

    def holds(self, value):
        return self._least <= math.log(value) <= self._greatest

    def cut(self, value):
        """The nearest value of the axis."""
        return math.exp(min(max(math.log(value), self._least), self._greatest))


class Linear:
    def __init__(self, greatest, begin, end):
        self._greatest, self._begin, self._end = greatest, begin, end

    def __call__(self, value):
        return self._begin + value / self._greatest * (self._end - self._begin)


def round_figures(least, greatest):
    """1, 2, 5, 10, 20 and so on, as far as they enclose both."""
    every = [factor * 10 ** power for power in range(-3, 10) for factor in (1, 2, 5)]
    begin = max(figure for figure in every if figure <= least)
    end = min(figure for figure in every if figure >= greatest)
    return [figure for figure in every if begin <= figure <= end]


# Of each peer, by its heading in the page's tables: what it is called, its mark, its colour on a light and on a dark page.
PEERS = {
    "zklock": ("zklock", "circle", ("#0b6e4f", "#3fd6a0")),
    "zklock-handover": ("zklock, local hand-over", "ring", ("#0b6e4f", "#3fd6a0")),
    "raw, floor": ("raw, floor (not a usable lock)", "bar", ("#3d444d", "#d1d7e0")),
    "raw, naive": ("raw, naive", "ring", ("#7d858e", "#9aa4af")),
    "Curator": ("Curator", "diamond", ("#c1440e", "#ff8a5c")),
    "go-zk": ("go-zk", "square", ("#1f6fb4", "#6cb6ff")),
    "kazoo": ("kazoo", "triangle", ("#7a55b0", "#c297ff")),
    "Redis": ("Redis", "square", ("#a07400", "#e3b341")),
    "etcd": ("etcd", "diamond", ("#0e7f8c", "#56d4dd")),
}


def colour(picture, peer):
    return PEERS[peer][2][picture.theme.colours]


def mark(picture, peer, x, y, size=4.0):
    """The peer's mark, with its middle at x, y."""
    shape, fill = PEERS[peer][1], colour(picture, peer)
    if shape == "circle":
        picture.circle(x, y, size, fill)
    elif shape == "ring":
        picture.circle(x, y, size - 0.6, picture.theme.background, fill, 1.6)
    elif shape == "bar":
        picture.rectangle(x - size + 1.5, y - size - 0.5, 2 * size - 3, 2 * size + 1, fill)
    elif shape == "square":
        picture.rectangle(x - size + 0.5, y - size + 0.5, 2 * size - 1, 2 * size - 1, fill)
    elif shape == "diamond":
        wide = size + 0.7
        picture.polygon([(x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y)], fill)
    else:
        picture.polygon([(x, y - size - 0.5), (x + size + 0.5, y + size - 0.5), (x - size - 0.5, y + size - 0.5)], fill)


def legend(picture, x, y, peers, step=0):
    """The peers' marks and names, in a row; with `step` one below the other."""
    for peer in peers:
        mark(picture, peer, x + 5, y - 4)
        picture.text(x + 15, y, PEERS[peer][0], 12)
        if step:
            y += step
        else:
            x += 34 + 5.9 * len(PEERS[peer][0])


def ratio_text(value):
    """1/4 and 2, as the ratios are read."""
    return f"1/{1 / value:g}" if value < 1 else f"{value:g}"
