-- NCCL_VERSION_CODE as people write it: 22705 -> 2.27.5; up to 2.8 it was 1000 * major + 100 *
-- minor + patch.
create macro nccl_version_text(code) as
    case
        when code >= 10000
        then (divide(code, 10000)) || '.' || ((divide(code, 100)) % 100) || '.' || (code % 100)
        else (divide(code, 1000)) || '.' || ((divide(code, 100)) % 10) || '.' || (code % 100)
    end
;
