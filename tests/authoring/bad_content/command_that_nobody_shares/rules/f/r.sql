/*
title = "It fails"
severity = "critical"
confidence = "definite"
status = "experimental"
about = "It fails."
summary = "It fails"
false_positives = "None."

[[step]]
say = "Start again without the host."
run = ["@keep_out hosts"]
*/
SELECT [line_at(1, 1)] AS evidence
