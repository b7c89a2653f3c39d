"""The pictures of the pages, drawn from the figures that stand in the pages: see scripts/pictures."""
