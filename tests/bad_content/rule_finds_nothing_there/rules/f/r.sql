/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
remedy = "r"
falsely = "f"
*/
SELECT count(*)::VARCHAR AS summary, [] AS evidence FROM t
