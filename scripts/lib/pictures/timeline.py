"""What happens when a holder loses its connection: the measured instants of docs/design/loss.md as a picture."""
from pictures import axes
from pictures.page_tables import between, rows_of
from pictures.svg import THEMES, Picture

WAY = "connection cut, for good"
WIDTH, HEIGHT = 860, 356
SECONDS = 4.5


def _triple(cell):
    """Of `1.885 / 2.297 / 2.497`: least, median, greatest."""
    return tuple(float(part.strip(" *")) for part in cell.split("/"))


def instants(text):
    """Of the page's row: session timeout, runs, margin, and the (least, median, greatest) of deadline, end and next grant."""
    row = rows_of(between(text, "### Lost", "### Not lost"))[WAY]
    return {"timeout": row["T"], "runs": row["lost"], "margin": float(row["margin"]), "deadline": _triple(row["`valid_until()`"]),
            "end": _triple(row["node gone"]), "next": _triple(row["next one granted"])}


def _bar(picture, scale, y, begin, end, fill, words, ink, opacity=None):
    picture.rectangle(scale(begin), y, scale(end) - scale(begin), 34, fill, opacity=opacity)
    picture.text(scale(begin) + 10, y + 22, words, 13, fill=ink)


def _spread(picture, scale, y, of):
    """The least and the greatest of the runs."""
    least, _median, greatest = of
    for at in (least, greatest):
        picture.line(scale(at), y - 4, scale(at), y + 4, picture.theme.muted, 1.5)
    picture.line(scale(least), y, scale(greatest), y, picture.theme.muted, 1.5)


def _draw(theme, of):
    deadline, end, following = of["deadline"][1], of["end"][1], of["next"][1]
    picture = Picture(WIDTH, HEIGHT, theme, "From a lost connection to the next holder")
    dark = theme.colours == 1
    held, ended = axes.colour(picture, "zklock"), axes.colour(picture, "raw, naive")
    servers, on_colour = axes.colour(picture, "go-zk"), "#0d1117" if dark else "#ffffff"
    scale = axes.Linear(SECONDS, 118, WIDTH - 16)
    picture.text(10, 24, "A holder's connection is cut: its lock ends before the servers let the next one in", 16, weight="bold")
    lanes = (("holder", 82), ("servers", 164), ("next holder", 222))
    for name, y in lanes:
        picture.text(10, y + 22, name, 13, weight="bold")
    bottom = 270

    picture.rectangle(scale(deadline), 60, scale(deadline + of["margin"]) - scale(deadline), bottom - 60, axes.colour(picture, "Redis"),
                      opacity=0.28)
    for at in (0, deadline, end):
        picture.line(scale(at), 60, scale(at), bottom, theme.ink, 1.2, "4 3")
    picture.text(scale(0), 52, "connection cut", 12)
    picture.text(scale(deadline) - 6, 52, "local deadline", 12, "end")
    picture.text(scale(deadline) + 2, 52, "margin: the least gap", 12)
    picture.text(scale(end), 52, "session's end", 12, "middle")

    _bar(picture, scale, 82, 0, deadline, held, "held() says yes", on_colour)
    _bar(picture, scale, 82, deadline, SECONDS, ended, "held() says no; lost() has requested a stop", theme.ink, 0.3)
    _spread(picture, scale, 128, of["deadline"])
    _bar(picture, scale, 164, 0, end, servers, "the session lives on at the servers", on_colour)
    _bar(picture, scale, 164, end, SECONDS, ended, "node gone", theme.ink, 0.3)
    _bar(picture, scale, 222, 0, following, ended, "waits", theme.ink, 0.3)
    _bar(picture, scale, 222, following, SECONDS, held, "holds", on_colour)
    _spread(picture, scale, 210, of["end"])

    picture.line(scale(0), bottom, scale(SECONDS), bottom, theme.ink)
    for half in range(int(2 * SECONDS) + 1):
        picture.line(scale(half / 2), bottom, scale(half / 2), bottom + 5, theme.ink)
        picture.text(scale(half / 2), bottom + 18, f"{half / 2:g}", 12, "middle")
    picture.text(scale(SECONDS / 2), bottom + 36, "seconds after the cut", 12, "middle")
    picture.text(10, bottom + 58, f"Measured: {of['runs']} runs, session timeout {of['timeout']}. Bars and broken lines: medians "
                 f"(deadline {deadline:.2f} s, session's end {end:.2f} s, next grant {following:.2f} s).", 12, fill=theme.muted)
    picture.text(10, bottom + 75, f"Thin grey lines: from the least to the greatest. Margin: {of['margin']:.2f} s, which no run fell "
                 "short of.", 12, fill=theme.muted)
    return picture


def pictures(text):
    """{file name: SVG}, from the text of docs/design/loss.md."""
    of = instants(text)
    return {f"loss{theme.name}.svg": _draw(theme, of).document() for theme in THEMES}
