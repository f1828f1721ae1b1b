-- view: One row per kind of sign that these are logs of a job or of its machines: steps | ranks |
-- communicator | watchdog | exit | launcher | scheduler | resources | gpu | exception | stacks |
-- calls | metrics. Documents and sources have none.
select sign
from
    (
        values
            ('steps', exists (from job_output)),
            ('ranks', exists (from rank)),
            ('communicator', exists (from communicator)),
            ('watchdog', exists (from c10d_event) or exists (from c10d_heartbeat)),
            ('exit', exists (from "exit")),
            ('launcher', exists (from launcher_event)),
            ('scheduler', exists (from scheduler_event)),
            ('resources', exists (from resource_wait)),
            ('gpu', exists (from gpu) or exists (from xid)),
            ('exception', exists (from traceback_end)),
            ('stacks', exists (from stack_frame)),
            ('calls', exists (from strace_line)),
            ('metrics', exists (from metric_point))
    ) as kind(sign, is_there)
where is_there
