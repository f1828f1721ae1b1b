/*
what = "output of the processes on {{ host }}"
why = "they closed the connection, and what ended them is in their own log"
how = "copy their output here"
order = 1
*/
select host
from blamed_host
where
    rule = 'network.peer_lost'
    and host not in (select unnest(hosts) from root_cause)
    and host not in (select host from host)
order by host
