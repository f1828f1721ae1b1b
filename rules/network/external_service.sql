/*
title       = "A service outside the cluster cannot be reached"
severity    = "critical"
confidence  = "probable"
status      = "stable"
explains    = ["crash.exception", "hang.init_incomplete", "network.peer_lost"]
about       = """
The program asked a model hub, a tracking server or an object store, got no answer, and ended with that exception. The job itself is sound.
"""
remedy      = """
From a compute node: curl -I https://SERVICE; look at the proxy (https_proxy, no_proxy) and DNS. So that it cannot end a job again: fetch models and data before
the job and run offline (HF_HUB_OFFLINE=1, WANDB_MODE=offline), and let trackers fail without raising.
"""
false_positives = "The name of the service is wrong in the program's own settings."
references  = ["https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables", "https://docs.wandb.ai/guides/track/environment-variables"]
*/
with
    failed as (
        select
            *,
            coalesce(
                nullif(regexp_extract(message, 'host=''([^'']+)''', 1), ''),
                nullif(regexp_extract(message, 'https?://([0-9A-Za-z_.-]+)', 1), ''),
                nullif(
                    regexp_extract(
                        lower(type || ' ' || message), '(huggingface|wandb|comet|neptune|mlflow)', 1
                    ),
                    ''
                ),
                'a web service'
            ) as service
        from fatal_exception
        where
            certain
            and (
                regexp_matches(
                    message,
                    'HTTPS?ConnectionPool|Max retries exceeded with url|NameResolutionError|Cannot connect to host [^ ]+ ssl|We couldn''t connect to ''https?://|Could not connect to the endpoint URL'
                )
                or class in (
                    'ConnectTimeout',
                    'ReadTimeout',
                    'ProxyError',
                    'SSLError',
                    'HfHubHTTPError',
                    'LocalEntryNotFoundError',
                    'EndpointConnectionError',
                    'ClientConnectorError'
                )
                or starts_with(type, 'wandb.errors')
                and regexp_matches(message, '(?i)network|timed out|communicat|connect')
            )
    )
select
    format(
        '{} could not be reached: {}',
        service,
        left(split_part(min_by(class || ': ' || message, line_no), chr(10), 1), 200)
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as at,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    service,
    count(*) as times
from failed
group by service
