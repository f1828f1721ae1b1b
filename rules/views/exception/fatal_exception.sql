-- view: Those a run can have died of.
select *, chain_uncaught or job_failed as certain
from exception_verdict
where
    kind not in ('echo', 'interrupt', 'ignored')
    and (
        steps_after < 2
        or (job_failed and chain_uncaught and exists (from launcher_event where event = 'restart'))
    )
    and (
        job_failed
        and (chain_uncaught or lines_after <= 400)
        or chain_uncaught
        and lines_after <= 600
        or lines_after <= 60
    )
    and not (in_thread and not job_failed and lines_after > 60)
