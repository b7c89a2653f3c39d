"""Plots."""
def draw(out, results, workloads):
    pass
