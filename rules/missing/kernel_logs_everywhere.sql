/*
what = "kernel logs"
why = "a kill, a GPU fault or a dead link is recorded there and nowhere else"
how = "on every host"
run = ["sudo dmesg -T > dmesg.$(hostname).txt"]
order = 4
*/
select kernel_would_tell
from open_question
where
    kernel_would_tell
    and not settled
    and not exists (from blamed_host)
    and not exists (from kernel_log_host)
