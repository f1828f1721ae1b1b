-- table: One row per mismatch and source that tells of it: ranks that ran something else than
-- others under the same number of the same group. Columns: source, grp, seq, field = op | size |
-- dtype | seq | redop | root, what they disagree on; "values" of it; ops; parties = [{value, ranks,
-- …}], who ran what; ranks = the minority, or all where there is none; all_ranks, hosts, time,
-- evidence.
from collective_mismatch_flight
union all by name
from collective_mismatch_fingerprint
union all by name
from collective_mismatch_watchdog
union all by name
from collective_mismatch_gloo
union all by name
from collective_mismatch_calls
union all by name
from collective_mismatch_reported
