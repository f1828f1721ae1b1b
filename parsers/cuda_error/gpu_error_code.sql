-- table: One row per error of the GPU runtimes and libraries; text: as printed; meaning: what to
-- show; alone: its bare name in a line already tells of a failure.
select
    'cuda' as api,
    code,
    coalesce(name, driver_name) as name,
    driver_name as other_name,
    text,
    older_text,
    text as meaning,
    kind,
    alone
from cuda_error_code
union all by name
select 'hip' as api, code, name, older_name as other_name, text, text as meaning, kind, alone
from hip_error_code
union all by name
select 'acl' as api, code, name, meaning, kind, false as alone
from acl_error_code
union all by name
select
    library as api,
    code,
    name,
    meaning,
    kind,
    library in ('hsa', 'level_zero', 'tpu') and name <> 'HSA_STATUS_ERROR_OUT_OF_RESOURCES' as alone
from gpu_library_status
