-- view: One row per line with which the kernel or a driver tells of a device: whoever passes it on,
-- in whatever form, it is no exception of a program.
select file_id, line_no
from xid_line
union all
select file_id, line_no
from sxid_line
union all
select file_id, line_no
from nvrm_event
union all
select file_id, line_no
from amdgpu_event
union all
select file_id, line_no
from accelerator_event
union all
select file_id, line_no
from kernel_event
