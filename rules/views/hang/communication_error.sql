-- table: One row per line of another failure that takes watchdogs down as a timeout does.
select file_id, line_no
from fatal_exception
union all
select file_id, line_no
from cuda_error
union all
select file_id, line_no
from c10d_nccl_error
union all
select file_id, line_no
from nccl_warning
union all
select file_id, line_no
from nccl_ib_error
union all
select file_id, line_no
from nccl_socket
