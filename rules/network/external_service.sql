/*
title = "A service outside the cluster could not be reached, or refused"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["crash.exception", "hang.init_incomplete", "network.peer_lost"]
about = """
The program asked a model hub, a tracking server or an object store, got no answer or was refused,
and ended with that exception; or a tool that copies to and from an object store could not reach it,
or may not read there. Nothing is wrong with the job itself, unless with what it is allowed.
"""
false_positives = "The program's own settings name a server that does not exist."
references = [
  "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables",
  "https://docs.wandb.ai/guides/track/environment-variables",
]
[[summary]]
when = "told"
say = '''
A service could not be reached, or refused: {{ told | cut(200) }}
'''

[[summary]]
say = '''
{{ server or service or 'A service outside the cluster' }}
{% if failure == 'busy' %}took no more requests
{%- elif failure in ('denied', 'unpaid') %}refused what was asked
{%- elif failure == 'cut' %}broke off in the middle of an answer
{%- else %}could not be reached{% endif %}
{%- if ranks %}
{{- ' from ' if failure == 'busy' else ' by ' }}{{ ranks | ranks }}{% endif %}
{%- if failure == 'unresolved' %}: its name could not be resolved
{%- elif failure == 'timed_out' %}: no answer in time
{%- elif failure == 'refused' %}: connection refused
{%- elif failure == 'unreachable' %}: no connection
{%- elif failure == 'reset' %}: the connection was closed at the other end
{%- elif failure == 'proxy' %}: the proxy refused
{%- elif failure == 'tls' %}: the TLS handshake failed
{%- elif failure == 'denied' %}: the credentials have expired, are missing, or may not do it
{%- elif failure == 'unpaid' %}: the account's balance or quota is used up
{%- elif failure == 'http' %}: it answered with an error
{%- elif failure == 'not_cached' %}, and the files are not in the local cache{% endif %}
({{ error }})'''

[[step]]
when = "failure == 'unresolved'"
say = '''Test name resolution on {% if hosts %}{{ hosts | names }}{% else %}the compute
node{% endif %}: compute nodes without a way to the internet often have no DNS for outside names
either.'''
run = ["getent hosts {{ server }}", "cat /etc/resolv.conf"]

[[step]]
when = "failure == 'busy'"
say = '''Ask less of it at once: fewer ranks and data loader workers that read at the same time,
larger objects (shards), more retries with growing pauses.'''
run = ["export AWS_RETRY_MODE=adaptive AWS_MAX_ATTEMPTS=10"]

[[step]]
when = "failure == 'denied'"
say = '''Ask, as the account of the job and from its node, who it is and for how long: a token that
expires within the job has to be renewed by it, a bucket or a gated model has to be opened for this
account. A clock that is wrong has signatures refused too.'''
run = ["aws sts get-caller-identity", "gcloud auth list", "hf auth whoami"]

[[step]]
when = "failure == 'unpaid'"
say = '''Top up the account that the key belongs to, or take another; until then every request is
refused. Let the program write down what it has, so that it can go on from there.'''

[[step]]
when = "failure == 'cut'"
say = '''Have the program ask again where an answer breaks off (urllib3.util.Retry, backoff), and
keep on disk what it has fetched. If it breaks off at the same size each time, look at the
proxy.'''
run = ["env | grep -i _proxy"]

[[step]]
when = "failure in ('proxy', 'tls')"
say = '''Look at the proxy and its certificate on {% if hosts %}{{ hosts | names }}{% else %}the
compute node{% endif %}: proxies that open TLS need their certificate in REQUESTS_CA_BUNDLE.'''
run = ["env | grep -i -E '_proxy|CA_BUNDLE|SSL_CERT'", "curl -sSI https://{{ server }}"]

[[step]]
when = "failure not in ('unresolved', 'proxy', 'tls', 'busy', 'denied', 'unpaid') and server"
say = '''Ask the service from {% if hosts %}{{ hosts | names }}{% else %}a compute
node{% endif %}, and look at its status page and at the proxy settings (https_proxy, no_proxy).'''
run = ["curl -sSI https://{{ server }}", "env | grep -i _proxy"]

[[step]]
when = "error == 'EndpointConnectionError' or tool == 'aws' and failure != 'denied'"
say = '''Check the region and the endpoint that the client is told, and whether the compute nodes
have a way there (gateway, private endpoint, proxy).'''
run = ["aws configure list", "env | grep -E 'AWS_(ENDPOINT|REGION|DEFAULT)'"]

[[step]]
when = "not tool and failure not in ('denied', 'unpaid')"
say = '''Fetch models and data before the job and run it offline, so that
{{ service or 'such a service' }} cannot end it again; let trackers fail without raising.'''
run = ["export {{ offline_setting }}"]
*/
with
    refusal as (
        select
            e.*,
            t.failure as failure_by_class,
            coalesce(
                nullif(regexp_extract(message, 'host=''([^'']+)''', 1), ''),
                nullif(regexp_extract(message, 'https?://([0-9A-Za-z_.-]+)', 1), ''),
                a.server,
                a.service,
                case when a.file_id is not null then 'huggingface' end,
                -- a client whose own frames lead to the request
                case
                    when e.is_unnamed_request
                    then
                        (
                            select min(s.service)
                            from outside_service s
                            where contains(lower(e.frames::varchar), '/' || s.service)
                        )
                end,
                (
                    -- of several words the first in the text
                    select arg_min(s.service, position(s.service in lower(type || ' ' || message)))
                    from outside_service s
                    where contains(lower(type || ' ' || message), s.service)
                )
            ) as service,
            -- A message within a message has its quotes escaped.
            coalesce(
                nullif(regexp_extract(message, 'host=.?''([0-9A-Za-z_.-]+)', 1), ''),
                nullif(regexp_extract(message, 'https?://([0-9A-Za-z_.-]+)', 1), ''),
                nullif(regexp_extract(message, 'connect to host ([0-9A-Za-z_.-]+)', 1), ''),
                a.server
            ) as server,
            a.error as asked_again_for
        from
            (
                -- What a socket says of a failed connection does not name whom it asked: what was
                -- raised of it does.
                select
                    * replace (
                        case
                            when
                                raised_message <> message
                                and regexp_matches(
                                    class,
                                    '(?i)^(os|socket|url|ssl|http|protocol)error$|timeout|gaierror'
                                    || '|connect|disconnect'
                                )
                            then message || chr(10) || raised_message
                            else message
                        end as message
                    ),
                    -- a name that is not known, of a request whose server nothing names
                    regexp_matches(
                        message,
                        '(?i)name or service not known|name resolution|nodename nor servname'
                        || '|no address associated with hostname|getaddrinfo failed'
                    )
                    and is_of_http(frames) as is_unnamed_request
                from fatal_exception
            ) e
        left join
            service_exception t
            on t.exception_class = e.class
            -- its cause is a socket's, which tells less
            or t.failure = 'cut'
            and t.exception_class = e.raised_class
            and not exists (from service_exception c where c.exception_class = e.class)
        left join asked_service a using (file_id, line_no)
        where
            -- or what ends the log, outside of a thread whose end nobody notices
            (certain or lines_after <= 2)
            and (
                regexp_matches(
                    message,
                    'HTTPS?ConnectionPool|Max retries exceeded with url|NameResolutionError'
                    || '|Cannot connect to host [^ ]+ ssl|We couldn''t connect to ''https?://'
                    || '|(?:to the|on|from) endpoint URL: '
                    || '|<urlopen error \[Errno (?:101|110|111|113|-[0-9]+)\]'
                    || '|AWS Error (?:NETWORK_CONNECTION|SLOW_DOWN|SERVICE_UNAVAILABLE'
                    || '|REQUEST_TIMEOUT|INTERNAL_FAILURE|THROTTLING) during'
                    || '|An error occurred \((?:SlowDown|ServiceUnavailable|InternalError'
                    || '|RequestTimeout|RequestLimitExceeded|Throttling[A-Za-z]*'
                    || '|TooManyRequests[A-Za-z]*|429|50[0-4])\) when calling the '
                    || '|ErrorCode:(?:ServerBusy|OperationTimedOut|InternalError)\b'
                )
                or is_denied(message)
                or is_unpaid(message)
                or t.exception_class is not null
                or a.file_id is not null
                or e.is_unnamed_request
                or starts_with(type, 'wandb.errors')
                and regexp_matches(
                    message, '(?i)network|timed out|communicat|connect|permission|\b40[13]\b'
                )
            )
    ),
    judged as (
        select
            *,
            (
                select min(o.offline_setting)
                from outside_service o
                where contains(concat_ws(' ', r.service, r.server), o.service)
            ) as offline_setting,
            case
                when
                    regexp_matches(
                        message,
                        '(?i)NameResolution|failed to resolve|name or service not known'
                        || '|name resolution|getaddrinfo|nodename nor servname'
                    )
                then 'unresolved'
                when is_unpaid(message)
                then 'unpaid'
                when is_denied(message)
                then 'denied'
                when regexp_matches(message, '(?i)connection refused')
                then 'refused'
                when regexp_matches(message, '(?i)unreachable|no route to host')
                then 'unreachable'
                when regexp_matches(message, '(?i)certificate|ssl: |tlsv1')
                then 'tls'
                when
                    regexp_matches(
                        message,
                        '(?i)slow_?down|throttl|too ?many ?requests|serverbusy'
                        || '|RequestLimitExceeded|reduce your request rate|rate limit'
                    )
                then 'busy'
                when regexp_matches(message, '(?i)timed? ?out')
                then 'timed_out'
                when
                    regexp_matches(
                        concat_ws(' ', message, asked_again_for),
                        '(?i)connection reset|server disconnected|peer closed connection'
                    )
                then 'reset'
                else failure_by_class
            end as failure
        from refusal as r
    )
select
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
    min(time) as at,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    service,
    min_by(server, line_no) filter (server is not null) as server,
    min_by(class, line_no) as error,
    min_by(failure, line_no) as failure,
    min_by(offline_setting, line_no) as offline_setting,
    count(*) as times
from judged
group by service
union all by name
-- A tool of the job's script; nothing tells that the job ended by it.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    list(distinct host) filter (host is not null) as hosts,
    server as service,
    server,
    case kind when 'denied' then 'AccessDenied' else 'EndpointConnectionError' end as error,
    kind as failure,
    tool,
    any_value(path) as path,
    count(*) as times,
    'warning' as severity,
    'definite' as confidence,
    ['crash.checkpoint', 'crash.config'] as explains
from transfer_failure
where
    kind = 'unreachable'
    and server not in (select server from judged where server is not null)
    -- what a script may try, and do without
    or kind = 'denied'
    and not exists (from judged where failure = 'denied')
    and not exists (from training_mark m where m.kind = 'end')
group by server, tool, kind
union all by name
-- in words that no grammar knows
select
    evidence,
    "at",
    nullif(regexp_extract(url, '^https?://([^/]+)', 1), '') as server,
    message as error,
    explains,
    told,
    confidence,
    otherwise
from told_cause
where what = 'service'
