/*
title = "T"
severity = "grave"
confidence = "definite"
status = "stable"
about = "a"
summary = "s"
fals_positives = "f"
[[step]]
say = "Do."
runs = ["ls"]
*/
SELECT [] AS evidence
