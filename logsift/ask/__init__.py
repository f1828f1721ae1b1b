"""Questions to the tables of runs: which there are, named queries, a prompt, and several runs beside each other."""
