-- table: One row per other name of a host: a pod that runs on a node, where no line says that it
-- runs on another one; the name that a file was given, where its lines tell of one other host and
-- no other file is of that one.
with
    named_file as (
        select short_host(f.host) as alias, short_host(l.host) as host, l.file_id, l.line_no
        from file f
        join identity_link l using (file_id)
        where
            l.host <> f.host
            and l.learnt_from in ('rank and pid in a line', 'torchelastic', 'submitit')
    )
select
    short_host(pod) as alias,
    min(short_host(node)) as host,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from pod_place
where pod is not null and node is not null
group by short_host(pod)
having count(distinct short_host(node)) = 1
union all
select
    alias,
    min(host) as host,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from named_file
where
    host not in (select short_host(host) from file where host is not null)
    and alias not in (select host from named_file)
    and alias not in (select short_host(pod) from pod_place where pod is not null)
group by alias
having
    count(distinct host) = 1
    and min(host) not in (select o.host from named_file o where o.alias <> named_file.alias)
