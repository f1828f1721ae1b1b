/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
false_positives = "f"
summary = "s"
[[step]]
say = "Do."
*/
SELECT [{'file_id': file_id, 'line_no': 1}] AS evidence, 'oops' AS ranks, path AS hosts_ FROM file
