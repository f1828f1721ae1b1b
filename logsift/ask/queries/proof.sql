-- The lines that prove each incident, in the order of incidents.
select i.id, i.rule, e.path, e.line_no, e.text
from incident i
join evidence e on e.incident_id = i.id
order by i.id, e.path, e.line_no
