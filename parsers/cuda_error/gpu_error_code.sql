-- table: One row per error of the GPU runtimes and libraries; alone: its bare name in a line
-- already tells of a failure.
select code, coalesce(name, driver_name) as name, driver_name, text, older_text, kind, alone
from cuda_error_code
union all by name
select name, kind, kind <> 'library' and name <> 'HSA_STATUS_ERROR_OUT_OF_RESOURCES' as alone
from gpu_library_status
