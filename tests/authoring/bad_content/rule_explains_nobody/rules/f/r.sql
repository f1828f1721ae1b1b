/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
summary = "s"
false_positives = "f"
explains = ["nobody"]
[[step]]
say = "Do."
*/
SELECT [] AS evidence
