"""Medians, and ratios within a repetition: what disturbs one repetition disturbs both sides of its ratio."""
import dataclasses


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclasses.dataclass(frozen=True)
class Spread:
    """Of several values: the median, the least and the greatest."""

    middle: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values):
        return cls(median(values), min(values), max(values)) if values else None


def ratios(ours, theirs):
    """Of two values by repetition: ours / theirs, for the repetitions that both have."""
    return [ours[repetition] / theirs[repetition] for repetition in sorted(ours) if theirs.get(repetition)]
