-- table: One row per place from which `kubectl describe` tells of a node (node: its name), or of
-- a pod (NULL).
select file_id, line_no, pod as node
from described_roles
union all
select file_id, line_no, null
from pod_place
