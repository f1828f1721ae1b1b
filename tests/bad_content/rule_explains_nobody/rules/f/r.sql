/*
title = "T"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
remedy = "r"
falsely = "f"
explains = ["nobody"]
*/
SELECT 1
