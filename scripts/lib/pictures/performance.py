"""The plots of docs/performance.md, from its tables and those of bench/results.md."""
from pictures import axes
from pictures.page_tables import bench_table, figure, rows_of, spread
from pictures.svg import THEMES, Picture

WIDTH = 860

# One scale for all ratios, in all pictures.
RATIO_LEAST, RATIO_GREATEST = 1 / 12, 32
RATIO_TICKS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32)

RATIO_PANELS = (("the raw C client", ("raw, floor", "raw, naive")),
                ("other libraries, compiled", ("Curator", "go-zk")),
                ("Python; other servers", ("kazoo", "Redis", "etcd")))

CROWD = ((1, "mutex cycle"), (2, "2 contending sessions"), (8, "8 contending sessions"), (32, "32 contending sessions"))
VARIANTS = ("zklock-handover", "zklock-keep")  # of zklock itself, in a few rows only
IN_FLIGHT = ((1, "1 acquisition in flight"), (16, "16 acquisitions in flight"), (64, "64 acquisitions in flight"),
             (256, "256 acquisitions in flight"))
QUEUES = {sessions: tuple((waiters, f"queue of {waiters:,} waiters, {of}") for waiters in (100, 1000, 4000))
          for sessions, of in ((1, "one session"), (100, "100 sessions"))}
CPU_OF = (("mutex cycle", "one client, alone"), ("8 contending sessions", "8 contending sessions"),
          ("8 threads, one session, one lock", "8 threads, one session"),
          ("16 threads, 16 locks, one session", "16 threads, 16 locks"))


def _note(picture, x, y, lines):
    for number, line in enumerate(lines):
        picture.text(x, y + 17 * number, line, 12, fill=picture.theme.muted)


def _ratio_bands(picture, left, top, right, bottom, scale, upright):
    """The sides of 1, and lines at the ticks. `upright`: the axis goes upwards."""
    theme = picture.theme
    if upright:
        picture.rectangle(left, top, right - left, scale(1) - top, theme.better)
        picture.rectangle(left, scale(1), right - left, bottom - scale(1), theme.worse)
    else:
        picture.rectangle(scale(1), top, right - scale(1), bottom - top, theme.better)
        picture.rectangle(left, top, scale(1) - left, bottom - top, theme.worse)
    for tick in RATIO_TICKS:
        at, stroke, width = scale(tick), theme.ink if tick == 1 else theme.grid, 1.2 if tick == 1 else 1
        picture.line(*((left, at, right, at) if upright else (at, top, at, bottom)), stroke, width)


def _ratio_mark(picture, peer, ratio, scale, y):
    """The median with its spread; what is off the scale as an arrow with its figure."""
    shade = axes.colour(picture, peer)
    if not scale.holds(ratio.middle):
        sign = 1 if ratio.middle > 1 else -1
        x = scale(scale.cut(ratio.middle))
        picture.polygon([(x, y), (x - 7 * sign, y - 4), (x - 7 * sign, y + 4)], shade)
        picture.text(x - 11 * sign, y + 4, _off_the_scale(ratio.middle), 11,
                     "end" if sign > 0 else "start", shade)
        return
    picture.line(scale(scale.cut(ratio.least)), y, scale(scale.cut(ratio.greatest)), y, shade, 1.8)
    axes.mark(picture, peer, scale(ratio.middle), y)


def _ratios(theme, tables):
    ratios = tables["ratios"]
    left, gap, top, row_height = 252, 10, 118, 25
    width = (WIDTH - 10 - left - 2 * gap) / 3
    bottom = top + row_height * len(ratios)
    picture = Picture(WIDTH, bottom + 116, theme, "How many times as fast zklock is")
    picture.text(10, 24, "How many times as fast zklock is", 16, weight="bold")
    for row, title in enumerate(ratios):
        picture.text(left - 8, top + row_height * row + 17, title, 12, "end")
    for number, (head, peers) in enumerate(RATIO_PANELS):
        begin = left + number * (width + gap)
        scale = axes.Log(RATIO_LEAST, RATIO_GREATEST, begin, begin + width)
        picture.text(begin, 46, head, 12, weight="bold")
        axes.legend(picture, begin, 64, peers, 16)
        _ratio_bands(picture, begin, top, begin + width, bottom, scale, upright=False)
        for row, cells in enumerate(ratios.values()):
            if row:
                picture.line(begin, top + row_height * row, begin + width, top + row_height * row, theme.background)
            measured = [peer for peer in peers if peer in cells]
            for place, peer in enumerate(measured):
                middle = top + row_height * (row + (place + 1) / (len(measured) + 1))
                _ratio_mark(picture, peer, spread(cells[peer]), scale, middle)
        for tick in RATIO_TICKS:
            picture.text(scale(tick), bottom + 15, axes.ratio_text(tick), 11, "middle")
        picture.text(scale(1) - 5, top - 6, "◂ zklock slower", 11, "end")
        picture.text(scale(1) + 5, top - 6, "zklock faster ▸", 11)
    picture.text(left + (WIDTH - 10 - left) / 2, bottom + 34, "how many times as fast zklock is (log scale)", 12, "middle")
    notes = ["Mark: the median of the ratios within a repetition. Bar: from the least ratio to the greatest. Arrow: off the scale, with its figure.",
             "No mark: not measured; the peer lacks the recipe, or takes too long."]
    if any("zklock-handover" in cells for cells in ratios.values()):
        notes.append("Not drawn: zklock against itself with local hand-over (in the table).")
    _note(picture, 10, bottom + 62, notes)
    return picture


def _frame(picture, left, top, right, bottom, x_scale, points, x_label):
    for x, _title in points:
        picture.line(x_scale(x), top, x_scale(x), bottom, picture.theme.grid)
        picture.text(x_scale(x), bottom + 16, f"{x:,}", 12, "middle")
    picture.line(left, bottom, right, bottom, picture.theme.ink)
    picture.text((left + right) / 2, bottom + 34, x_label, 12, "middle")


def _absolute(picture, box, points, peers, table, ticks, x_label):
    left, top, right, bottom = box
    x_scale = axes.Log(points[0][0], points[-1][0], left + 24, right - 24)
    y_scale = axes.Log(ticks[0], ticks[-1], bottom, top)
    for tick in ticks:
        picture.line(left, y_scale(tick), right, y_scale(tick), picture.theme.grid)
        picture.text(left - 6, y_scale(tick) + 4, f"{tick:,}", 11, "end")
    _frame(picture, left, top, right, bottom, x_scale, points, x_label)
    for peer in reversed(peers):
        drawn = [(x_scale(x), y_scale(figure(table[title][peer]))) for x, title in points if peer in table.get(title, {})]
        picture.path(drawn, axes.colour(picture, peer), 3 if peer == "zklock" else 1.6)
        for x, y in drawn:
            axes.mark(picture, peer, x, y, 5.0 if peer == "zklock" else 4.0)


def _relative(picture, box, points, peers, table, x_label):
    left, top, right, bottom = box
    x_scale = axes.Log(points[0][0], points[-1][0], left + 24, right - 24)
    y_scale = axes.Log(RATIO_LEAST, RATIO_GREATEST, bottom, top)
    _ratio_bands(picture, left, top, right, bottom, y_scale, upright=True)
    _frame(picture, left, top, right, bottom, x_scale, points, x_label)
    for tick in RATIO_TICKS:
        picture.text(left - 6, y_scale(tick) + 4, axes.ratio_text(tick), 11, "end")
    picture.text(left + 5, top + 15, "▴ zklock faster", 11)
    picture.text(left + 5, bottom - 8, "▾ zklock slower", 11)
    others = [peer for peer in peers if peer != "zklock"]
    for place, peer in enumerate(others):
        beside = 6.0 * (place - (len(others) - 1) / 2)
        shade = axes.colour(picture, peer)
        for x, title in points:
            if peer not in table.get(title, {}):
                continue
            ratio = spread(table[title][peer])
            at, y = x_scale(x) + beside, y_scale(y_scale.cut(ratio.middle))
            picture.line(at, y_scale(y_scale.cut(ratio.least)), at, y_scale(y_scale.cut(ratio.greatest)), shade, 1.8)
            axes.mark(picture, peer, at, y)
            if not y_scale.holds(ratio.middle):
                picture.text(at + 8, y + (12 if ratio.middle > 1 else -4), _off_the_scale(ratio.middle), 11, fill=shade)


def _off_the_scale(ratio):
    return f"{ratio:,.0f}" if ratio > 1 else f"{ratio:.2f}"


def _measured(points, table):
    return [peer for peer in axes.PEERS if any(peer in table.get(title, {}) for _x, title in points)]


def _two_by_two(theme, tables, title, y_label, columns):
    """Two columns; above the figures, below how many times as fast zklock is. `columns`: head, x-axis, points."""
    medians, ratios = tables["medians"], tables["ratios"]
    in_columns = [_measured(points, medians) for _head, _x_label, points in columns]
    all_peers = [peer for peer in axes.PEERS if any(peer in peers for peers in in_columns)]
    figures = [figure(medians[title][peer]) for (_head, _x_label, points), peers in zip(columns, in_columns)
               for _x, title in points for peer in peers if peer in medians.get(title, {})]
    ticks = axes.round_figures(min(figures), max(figures))
    picture = Picture(WIDTH, 798, theme, title)
    picture.text(10, 24, title, 16, weight="bold")
    axes.legend(picture, 10, 52, all_peers)
    for number, (head, x_label, points) in enumerate(columns):
        left = 62 + number * 424
        right = left + 362
        picture.text(left, 86, head, 13, weight="bold")
        absent = [peer for peer in axes.PEERS if peer not in in_columns[number] and peer not in VARIANTS]
        if absent:
            picture.text(left, 104, "not measured here: " + ", ".join(absent), 11, fill=theme.muted)
        _absolute(picture, (left, 114, right, 386), points, in_columns[number], medians, ticks, x_label)
        _relative(picture, (left, 448, right, 708), points, in_columns[number], ratios, x_label)
    picture.text(16, 250, y_label + " (log)", 12, "middle", turned=True)
    picture.text(16, 578, "how many times as fast zklock is (log)", 12, "middle", turned=True)
    _note(picture, 10, 770, [
        "Above: medians. Below: mark = the median of the ratios within a repetition, bar = from the least ratio to the greatest.",
        "No mark: not measured there."])
    return picture


def _crowd(theme, tables):
    return _two_by_two(
        theme, tables, "One lock for many sessions; many locks of one session", "acquisitions per second",
        (("One lock, and sessions that contend for it", "sessions (log)", CROWD),
         ("One session, a lock for each of its threads", "threads, one acquisition in flight each (log)", IN_FLIGHT)))


def _queues(theme, tables):
    return _two_by_two(
        theme, tables, "A queue: to join it and to drain it", "µs per waiter, less is better",
        (("The waiters are of one session", "waiters (log)", QUEUES[1]),
         ("The waiters are of 100 sessions", "waiters (log)", QUEUES[100])))


def _processor_time(theme, tables):
    client, server = tables["client_cpu"], tables["server_cpu"]
    panels = [(title, head) for title, head in CPU_OF if title in client]
    peers = [peer for peer in axes.PEERS if any(peer in client[title] for title, _head in panels)]
    left, gap, top, row_height = 160, 8, 92, 27
    width = (WIDTH - 8 - left - gap * (len(panels) - 1)) / len(panels)
    bottom = top + row_height * len(peers)
    longest = max(figure(client[title][peer]) + figure(server[title][peer]) for title, _head in panels for peer in client[title])
    step = axes.round_figures(longest / 5, longest / 5)[-1]
    picture = Picture(WIDTH, bottom + 84, theme, "CPU of one acquisition and release")
    picture.text(10, 24, "CPU of one acquisition and release, client and server; less is better", 16, weight="bold")
    picture.rectangle(10, 40, 14, 12, theme.muted)
    picture.text(30, 51, "the client's, all threads", 12)
    picture.rectangle(192, 40, 14, 12, theme.muted, opacity=0.35)
    picture.text(212, 51, "the servers', all threads", 12)
    for row, peer in enumerate(peers):
        picture.text(left - 8, top + row_height * row + 18, axes.PEERS[peer][0].replace(" (not a usable lock)", " (no lock)"),
                     12, "end", weight="bold" if peer == "zklock" else None)
    for number, (title, head) in enumerate(panels):
        begin = left + number * (width + gap)
        scale = axes.Linear(1.36 * longest, begin, begin + width)  # with room for the figure
        picture.text(begin, top - 10, head, 12, weight="bold")
        for number_of_steps in range(6):
            tick = number_of_steps * step
            picture.line(scale(tick), top, scale(tick), bottom, theme.ink if tick == 0 else theme.grid)
            if number_of_steps % 2 == 0:
                picture.text(scale(tick), bottom + 16, f"{tick:,}", 11, "middle")
        for row, peer in enumerate(peers):
            y = top + row_height * row
            if peer not in client[title]:
                picture.text(begin + 6, y + 18, "not measured", 11, fill=theme.muted)
                continue
            own, of_server = figure(client[title][peer]), figure(server[title][peer])
            shade = axes.colour(picture, peer)
            picture.rectangle(begin, y + 5, scale(own) - begin, row_height - 10, shade)
            picture.rectangle(scale(own), y + 5, scale(own + of_server) - scale(own), row_height - 10, shade, opacity=0.35)
            picture.text(scale(own + of_server) + 4, y + 18, f"{own + of_server:,.0f}", 11)
    picture.text(left + (WIDTH - left) / 2, bottom + 34, "µs of CPU (linear, one scale for all); the figure is the sum", 12,
                 "middle")
    _note(picture, 10, bottom + 60, ["Medians. No spread of the CPU is kept, but for the rows of the page's first table."])
    return picture


def _has(tables, points):
    return any(title in tables["medians"] for _x, title in points)


def pages(root):
    """Where the driver of scripts/bench writes its tables."""
    return root / "docs/performance.md", root / "bench/results.md"


def tables_of(root):
    """Of these pages: what the plots are drawn from."""
    text = "\n".join(page.read_text() for page in pages(root))
    return with_plain_titles({name: bench_table(text, name) for name in ("ratios", "medians", "client_cpu", "server_cpu")})


def tables_of_markdown(named):
    """The same from the driver's tables: {name: Markdown}."""
    return with_plain_titles({name: rows_of(named[name]) for name in ("ratios", "medians", "client_cpu", "server_cpu")})


def with_plain_titles(tables):
    """The table of medians has the unit in its titles."""
    titles = sorted(tables["client_cpu"], key=len, reverse=True)
    plain = {next(title for title in titles if row.startswith(title + ", ")): cells
             for row, cells in tables["medians"].items()}
    return {**tables, "medians": plain}


def pictures(tables):
    """{file name: SVG}, of those that have figures."""
    drawn = {}
    if tables["ratios"]:
        drawn["ratios"] = _ratios
    if _has(tables, CROWD[1:]) and _has(tables, IN_FLIGHT):
        drawn["crowd"] = _crowd
    if _has(tables, QUEUES[1]):
        drawn["queues"] = _queues
    if any(title in tables["client_cpu"] for title, _head in CPU_OF):
        drawn["processor_time"] = _processor_time
    return {f"{name}{theme.name}.svg": draw(theme, tables).document() for name, draw in drawn.items() for theme in THEMES}
