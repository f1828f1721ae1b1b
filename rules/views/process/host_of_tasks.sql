-- view: One row per host of which a launcher tells that several of its tasks ended: there tasks are
-- ranks. An agent that starts processes of its own is one task a host.
select host
from "exit"
where
    regexp_full_match(host, '[0-9A-Za-z._-]+')
    and not exists (from "exit" where local_rank is not null)
group by host
having count(distinct task) > 1 or bool_or(regexp_matches(tasks, '[-,]'))
