/*
title      = "A checkpoint could not be read or written"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["crash.exception", "hang", "network.peer_lost", "network.connect_failure", "network.ib_error"]
about      = """
Loading or saving a checkpoint failed: the file is truncated or corrupt, keys or shapes do not match the model, or it is not there.
"""
remedy     = "Compare size and hash of the named checkpoint with another copy; resume from the last one that loads (torch.load on one CPU); where shapes differ, check that the model's settings are those it was saved with."
falsely    = "A program that tries to resume, fails and starts afresh."
references = ["https://docs.pytorch.org/docs/stable/notes/serialization.html"]
*/
WITH told AS (
  SELECT *, left(class || ': ' || message, 1000) AS text,
         coalesce(nullif(regexp_extract(message, '[''"]((?:/|\./)?[^''" ]+\.(?:pt|pth|ckpt|bin|safetensors|distcp|zip|pkl|npz))[''"]', 1), ''), nullif(regexp_extract(message, '(/[^ :,''"]*(?:ckpt|checkpoint|global_step)[^ :,''"]*)', 1), '')) AS path_
  FROM fatal_exception WHERE kind = 'checkpoint' AND certain
), grouped AS (
  SELECT regexp_replace(left(text, 80), '[0-9]+', '#', 'g') AS alike, min_by(text, line_no) AS message, min_by(type, line_no) AS type, any_value(path_) FILTER (path_ IS NOT NULL) AS path, any_value(file) AS file, any_value(line) AS line,
         list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, min(time) AS started,
         list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10] AS evidence, min(file_id * 100000000 + line_no) AS place
  FROM told GROUP BY ALL
)
SELECT coalesce('Rank ' || ranges(ranks) || ': ', '') || 'checkpoint' || coalesce(' ' || path, '') || ' failed: ' || left(split_part(message, E'\n', 1), 200) AS summary,
       evidence, started AS at, ranks, hosts, path, message, type, file, line
FROM grouped QUALIFY row_number() OVER (ORDER BY place) = 1
