-- A piece of less than a MiB that cannot be mapped: there are as many mappings as a process may
-- have (vm.max_map_count); a full /dev/shm says so, or ends the process when pages are touched.
create macro is_mapping_refused(error, requested_bytes) as
    coalesce(error = 'Cannot allocate memory' and requested_bytes::bigint < 1048576, false)
;
