-- view: One row per curve of a store, with the source it belongs to: the file, or the folder where
-- each file has one metric (MLflow), and the run within it.
select
    c.* replace (lower(coalesce(c.phase, '')) as phase),
    case f.grammar when 'mlflow' then regexp_replace(f.path, '(^|/)metrics/.*$', '') else f.path end
    || coalesce(' ' || c.run_name, '') as source
from metric_curve c
join file f using (file_id)
where file_id not in (from superseded_state)
