/*
what = "log of worker {{ pid }} on {{ host }}"
why = '''Ray reports only that this worker's process is gone; what it wrote last may say why, and
  its host's kernel log whether it was killed'''
run = ['scp {{ host }}:/tmp/ray/session_latest/logs/worker-\*-{{ pid }}.\* .']
order = 1
*/
select distinct pid, host
from worker_gone
where
    source = 'ray'
    and pid is not null
    and host is not null
    and not exists (from root_cause where rule <> 'crash.signal')
order by pid
limit 4
