-- NCCL_VERSION_CODE as people write it: 22705 -> 2.27.5; up to 2.8 it was 1000 * major + 100 *
-- minor + patch.
create macro nccl_version_text(code) as
    case
        when code >= 10000
        then (divide(code, 10000)) || '.' || ((divide(code, 100)) % 100) || '.' || (code % 100)
        else (divide(code, 1000)) || '.' || ((divide(code, 100)) % 10) || '.' || (code % 100)
    end
;

-- what a socket's error says of the way to a peer, or of one that nothing listens at, and not of a
-- peer that was there and is gone
create macro nccl_found_no_way(error) as
    coalesce(regexp_matches(error, 'timed out|No route to host|unreachable|refused'), false)
;
