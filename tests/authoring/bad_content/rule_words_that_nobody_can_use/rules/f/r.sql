/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
false_positives = "f"
summary = "rank(s) {{ pth }}"
[[step]]
say = "Look at {{ path }}"
run = ["ls '{{ path }}'", "stat PATH"]
[[step]]
say = "{% if path %}."
*/
SELECT [{'file_id': file_id, 'line_no': 1}] AS evidence, path FROM file
