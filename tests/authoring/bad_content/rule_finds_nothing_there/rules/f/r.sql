/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
summary = "s"
false_positives = "f"
[[step]]
say = "Do."
*/
SELECT [] AS evidence, count(*) AS n FROM t
