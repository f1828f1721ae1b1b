-- view: One row per line that tells of a program's own fault on an AMD GPU: a page fault, the
-- process of a fault, or work of a program's kernel that did not end in time.
select file_id, line_no
from amdgpu_event
where kind in ('page_fault', 'process') or kind = 'ring_timeout' and not is_copy_engine(block)
