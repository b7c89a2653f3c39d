"""A picture as SVG, for a light or a dark page. The same calls give the same text."""
import dataclasses
from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


@dataclasses.dataclass(frozen=True)
class Theme:
    name: str
    background: str
    ink: str
    muted: str
    grid: str
    better: str  # the side where zklock is faster
    worse: str
    colours: int  # which of a pair


LIGHT = Theme("", "#ffffff", "#1f2328", "#59636e", "#d8dee4", "#eaf6ee", "#fdf0ea", 0)
DARK = Theme(".dark", "#0d1117", "#e6edf3", "#9aa4af", "#30363d", "#12261b", "#2b1a14", 1)
THEMES = (LIGHT, DARK)


def _number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _attributes(values):
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{_number(value)}"' for name, value in values.items() if value is not None)


class Picture:
    def __init__(self, width, height, theme, title):
        self.theme = theme
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-family="{FONT}">', f"<title>{escape(title)}</title>"]
        self.rectangle(0, 0, width, height, theme.background)

    def _add(self, tag, **attributes):
        self._parts.append(f"<{tag}{_attributes(attributes)}/>")

    def rectangle(self, x, y, width, height, fill, stroke=None, opacity=None, dash=None):
        self._add("rect", x=float(x), y=float(y), width=float(width), height=float(height), fill=fill, stroke=stroke,
                  fill_opacity=opacity, stroke_dasharray=dash)

    def line(self, x1, y1, x2, y2, stroke, width=1.0, dash=None):
        self._add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=stroke, stroke_width=float(width),
                  stroke_dasharray=dash)

    def path(self, points, stroke, width):
        self._add("polyline", points=" ".join(f"{_number(float(x))},{_number(float(y))}" for x, y in points), fill="none",
                  stroke=stroke, stroke_width=float(width))

    def polygon(self, points, fill, stroke=None):
        self._add("polygon", points=" ".join(f"{_number(float(x))},{_number(float(y))}" for x, y in points), fill=fill,
                  stroke=stroke)

    def circle(self, x, y, radius, fill, stroke=None, width=None):
        self._add("circle", cx=float(x), cy=float(y), r=float(radius), fill=fill, stroke=stroke, stroke_width=width)

    def text(self, x, y, words, size=12, anchor=None, fill=None, weight=None, turned=False):
        """`y` is the base line. `turned`: from bottom to top."""
        attributes = _attributes({"x": float(x), "y": float(y), "font_size": size, "text_anchor": anchor,
                                  "fill": fill or self.theme.ink, "font_weight": weight,
                                  "transform": f"rotate(-90 {_number(float(x))} {_number(float(y))})" if turned else None})
        self._parts.append(f"<text{attributes}>{escape(words)}</text>")

    def document(self):
        return "\n".join([*self._parts, "</svg>", ""])
