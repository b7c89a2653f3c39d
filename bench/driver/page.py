"""Page."""
def write(docs, about, results, workloads):
    pass
