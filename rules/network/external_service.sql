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
falsely     = "The name of the service is wrong in the program's own settings."
references  = ["https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables", "https://docs.wandb.ai/guides/track/environment-variables"]
*/
WITH failed AS (
  SELECT *, coalesce(nullif(regexp_extract(message, 'host=''([^'']+)''', 1), ''), nullif(regexp_extract(message, 'https?://([0-9A-Za-z_.-]+)', 1), ''),
                     nullif(regexp_extract(lower(type || ' ' || message), '(huggingface|wandb|comet|neptune|mlflow)', 1), ''), 'a web service') AS service
  FROM fatal_exception
  WHERE certain AND (regexp_matches(message, 'HTTPS?ConnectionPool|Max retries exceeded with url|NameResolutionError|Cannot connect to host [^ ]+ ssl|We couldn''t connect to ''https?://|Could not connect to the endpoint URL')
    OR class IN ('ConnectTimeout', 'ReadTimeout', 'ProxyError', 'SSLError', 'HfHubHTTPError', 'LocalEntryNotFoundError', 'EndpointConnectionError', 'ClientConnectorError')
    OR starts_with(type, 'wandb.errors') AND regexp_matches(message, '(?i)network|timed out|communicat|connect'))
)
SELECT format('{} could not be reached: {}', service, left(split_part(min_by(class || ': ' || message, line_no), E'\n', 1), 200)) AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence, min(time) AS at,
       list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, service, count(*) AS times
FROM failed GROUP BY service
