"""A run read in shares, on one machine or many: files or byte ranges -> Parquet parts (map), parts -> verdict (reduce).

What reads a share knows nothing of who started it: a scheduler's array, a Job of Kubernetes, a person.
"""
