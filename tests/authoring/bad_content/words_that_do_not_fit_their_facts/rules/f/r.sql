/*
title = "R"
severity = "warning"
confidence = "definite"
status = "stable"
about = "a"
summary = "{{ path | size }} is read"
false_positives = "f"

[[step]]
say = "Look at {{ path }}: then go on..."
run = ["cat {{ path }}", "stat {{ lines + path }}"]
*/
select [{'file_id': file_id, 'line_no': 1}] as evidence, path, lines
from file
where path = 'x'
