/*
what = "a whole {{ path }}"
why = '''
truncated, ends at {{ path }}{% if line_no %}:{{ line_no }}{% endif %}
{%- if last %} ({{ last }}){% endif %}
{%- if problem %}: {{ problem }}
{%- else %} in the middle of a line, {{ minutes_early }} min before the logs beside it{% endif %};
what came after that is unknown'''
how = "copy it again, and compare its size with that of the original"
order = 2
*/
select t.path, t.line_no, t.last, t.problem, t.minutes_early
from truncated_file t, open_question q
where not q.settled
order by t.path
