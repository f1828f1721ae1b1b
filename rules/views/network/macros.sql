-- A service outside refuses what is asked, for want of permission: credentials that are missing,
-- have expired or do not reach so far. A model hub that hides what is not there says so as well.
create macro is_denied(message) as
    regexp_matches(
        message,
        'An error occurred \((?:40[13]|AccessDenied[A-Za-z]*|Forbidden|ExpiredToken[A-Za-z]*'
        || '|RequestExpired|RequestTimeTooSkewed|Invalid(?:AccessKeyId|ClientTokenId|Token)'
        || '|SignatureDoesNotMatch|InvalidSignature[A-Za-z]*|MissingAuthenticationToken[A-Za-z]*'
        || '|Unauthorized[A-Za-z]*|UnrecognizedClient[A-Za-z]*)\) when calling the '
        || '|^Unable to locate credentials|^Your default credentials were not found'
        || '|AWS Error ACCESS_DENIED during'
        || '|ErrorCode:(?:Authorization[A-Za-z]*|AuthenticationFailed'
        || '|NoAuthenticationInformation)\b'
        || '|not authorized to perform this operation|Server failed to authenticate the request'
        || '|does not have (?:[a-z]+\.)+[a-zA-Z]+ access\b|HTTP response code 40[13]\b'
        || '|\b40[13] (?:Client Error|Forbidden|Unauthorized)\b|\bHTTP Error 40[13]\b'
        || '|\b40[13], message=''|(?i:\bgated repo\b)|^Error code: 40[13]\b'
    )
    and not regexp_matches(
        message, 'Repository Not Found|not a local folder|not a valid model identifier'
    )
;

-- A service outside takes nothing more from an account that has not paid, or has used what it paid.
create macro is_unpaid(message) as
    regexp_matches(
        message,
        '^Error code: 402\b|\b402 Client Error\b|\bPayment Required\b|\binsufficient_quota\b'
        || '|(?i)exceeded your current quota|credit balance is too low'
        || '|(?:insufficient|need (?:a )?positive|out of|no)'
        || ' (?:account )?(?:balance|credits?|funds)\b'
        || '|exceeded your monthly (?:included credits|spending limit|usage)'
    )
;

-- A stack in which a client of HTTP asks a server.
create macro is_of_http(frames) as
    regexp_matches(
        coalesce(frames::varchar, ''),
        '[/\\](?:httpx|httpcore|urllib3|aiohttp|requests)(?:[/\\]|\.py)'
        || '|[/\\](?:http[/\\]client|urllib[/\\]request)\.py'
    )
;

-- A stack that ends in a library that asks a server: of HTTP, of remote calls, of a data base, of a
-- queue of messages.
create macro is_of_client(frames) as
    regexp_matches(
        coalesce(frames::varchar, ''),
        '[/\\](?:httpx|httpcore|urllib3|aiohttp|requests|websockets?|grpc|redis|valkey|pymongo'
        || '|psycopg2?|asyncpg|pymysql|MySQLdb|kafka|aiokafka|pika|nats|elastic_?transport'
        || '|elasticsearch|opensearchpy|clickhouse_connect|clickhouse_driver|cassandra|etcd3?'
        || '|pymemcache|minio|ldap3|paramiko)(?:[/\\]|\.py)'
    )
;
