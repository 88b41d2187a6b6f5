"""D, technical traits: only on the evidence of an import, a call or a statement, never of a word."""

import re
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from aoci_agent.aoci.facts.model import Facts, Import
from aoci_agent.aoci.tags import MAX_TRAITS

_MODULES: Mapping[str, str] = {
    "A": r"jwt|jose|jsonwebtoken|passlib|authlib|oauth|oauthlib|next-auth|better-auth|casbin|passport|keycloak|oidc|saml|django\.contrib\.auth|flask_login|oauth2|LocalAuthentication|spring-security|shiro|sa-token|jjwt|jaas|javax\.security\.auth|AspNetCore\.(?:Identity|Authentication|Authorization)|IdentityModel(?:\.\w+)?|devise|omniauth|Laravel/(?:Sanctum|Passport|Fortify|Socialite)|Symfony/Security",
    "C": r"redis|ioredis|cachetools|lru-cache|lru|memcache|bigcache|ristretto|cacheable-request|keyv|moka|jedis|lettuce|redisson|caffeine|ehcache|jcache|spring-cache|memcached|StackExchange(?:\.Redis)?|Extensions\.Caching|Predis|Illuminate/Cache|Symfony/Cache|dalli",
    "D": r"sqlalchemy|django\.db|gorm|sqlx|sql|sqlite3|pgx|pg|pq|psycopg2?|asyncpg|mysql|drizzle-orm|prisma|mongo|mongoose|typeorm|better-sqlite3|peewee|ent|knex|sequelize|rusqlite|diesel|sea_orm|tokio_postgres|redb|rocksdb|libpq-fe|CoreData|SwiftData|GRDB|fluent|jpa|hibernate|jdbc|spring-data|spring-jdbc|mybatis|mybatis-plus|jooq|exposed|androidx-room|slick|doobie|quill|querydsl|jdbi|hikari|r2dbc|mongodb|cassandra|neo4j|flyway|liquibase|EntityFrameworkCore(?:\.\w+)?|Dapper|Npgsql(?:\.\w+)?|MongoDB(?:\.\w+)?|Data\.SqlClient|Doctrine/(?:ORM|DBAL)|Illuminate/Database|active_record|sequel|mysql2",
    "E": r"cryptography|hashlib|hmac|crypto|bcrypt|bcryptjs|argon2|sha256|md5|aes|cipher|nacl|Crypto|secrets|openssl|rustls|sha2|blake2|CryptoKit|CommonCrypto|sodium|javax\.crypto|java\.security|bouncycastle|jasypt|tink|Security\.Cryptography|digest|rbnacl|ParagonIE",
    "F": r"boto3|botocore|minio|s3|client-s3|multer|oss|formidable|shutil|tempfile|fs|fs-extra|node:fs|java\.nio\.file|commons-io|okio|aws-sdk|League/Flysystem|Aws/S3|Azure\.Storage|carrierwave|shrine",
    "H": r"requests|httpx|aiohttp|axios|got|ky|node-fetch|undici|resty|urllib3|httpcore|urllib\.request|reqwest|ureq|curl|Alamofire|AsyncHTTPClient|okhttp|retrofit|feign|httpclient|java\.net\.http|spring-webflux|sttp|asynchttpclient|Net\.Http|GuzzleHttp|Symfony/HttpClient|net/http|faraday|httparty|typhoeus|Refit|RestSharp",
    "L": r"openai|anthropic|langchain|langchain_core|langgraph|eino|litellm|llama_index|transformers|ollama|ai|go-openai|genai|mcp|vllm|langchain4j|spring-ai",
    "P": r"threading|multiprocessing|subprocess|concurrent\.futures|exec|child_process|node:child_process|worker_threads|errgroup|node-pty|pthread|thread|process|spawn|rayon|crossbeam(?:_\w+)?|Dispatch|akka|pekko|quartz",
    "Q": r"celery|kafka|kafka-go|sarama|nats|nats\.go|rabbitmq|amqp|amqp091-go|pika|bull|bullmq|rq|dramatiq|asynq|lapin|rdkafka|spring-kafka|spring-rabbitmq|jms|pulsar|rocketmq|activemq|spring-integration|MassTransit|RabbitMQ(?:\.\w+)?|Hangfire|Quartz|Confluent(?:\.Kafka)?|Illuminate/Queue|Symfony/Messenger|PhpAmqpLib|sidekiq|resque|solid_queue|bunny",
    "R": r"tenacity|backoff|rate|limiter|slowapi|p-retry|async-retry|ratelimit|rate-limiter-flexible|resilience4j|failsafe|bucket4j|spring-retry|hystrix|Polly|Symfony/RateLimiter",
    "S": r"sse|sse-starlette|eventsource|fetch-event-source|eventsource-parser",
    "V": r"pydantic|zod|validator|joi|yup|marshmallow|cerberus|ajv|valibot|class-validator|bean-validation|FluentValidation|Symfony/Validator|dry-validation",
    "W": r"websockets?|ws|socket\.io|socket\.io-client|socketio|channels|(?:tokio_)?tungstenite|Starscream|websocket|(?:AspNetCore\.)?SignalR|Ratchet|faye",
    "Y": r"asyncio|anyio|trio|curio|uvloop|tokio|async_std|smol|futures|coroutines|reactor|reactivex|rxjava3?|cats-effect|zio|fs2|monix|mutiny",
}  # fmt: skip
_PATTERNS = {
    trait: re.compile(rf"(?:^|[/@.]|go-)(?:{names})(?:$|/|\.(?=[a-z]))")
    for trait, names in _MODULES.items()
}
_CALLS: Mapping[str, frozenset[str]] = {
    "T": frozenset(
        (
            "transaction",
            "Transaction",
            "rollback",
            "Rollback",
            "BeginTx",
            "beginTransaction",
            "BeginTransaction",
            "BeginTransactionAsync",
            "atomic",
            "begin_nested",
        )
    ),
    "B": frozenset(("getItem", "setItem", "removeItem")),
    "S": frozenset(("SSEvent", "StreamingResponse", "getReader", "iter_stream", "aiter_stream")),
    "Q": frozenset(("publish", "Publish", "subscribe", "Subscribe", "send_task", "apply_async")),
    "W": frozenset(("websocket_connect", "accept_websocket")),
}

_THREADS = frozenset(  # of a package most of which is about other things
    [
        "Executor",
        "Executors",
        "ExecutorService",
        "ScheduledExecutorService",
        "ThreadPoolExecutor",
        "ForkJoinPool",
        "CompletableFuture",
        "ThreadFactory",
        "ThreadPoolTaskExecutor",
    ]
)


def traits_of(facts: Facts, outside: Iterable[str]) -> str:
    """Trait codes, sorted, at most four. `outside` names the packages from outside the repository."""
    modules = [
        *outside,
        *(_plain(item.module) for item in facts.imports if _is_standard(facts, item)),
    ]
    called = set(facts.members)
    found = {trait for module in modules for trait in _of_module(module)}
    found |= {trait for trait, names in _CALLS.items() if called & names}
    if facts.tables:
        found.add("D")
    if facts.calls:
        found.add("H")
    names = {name for item in facts.imports for name, _ in item.names}
    if "lru_cache" in names:
        found.add("C")
    if not names.isdisjoint(_THREADS):
        found.add("P")
    return "".join(sorted(found)[:MAX_TRAITS])


@lru_cache(maxsize=8192)
def _of_module(module: str) -> str:
    """Traits a package stands for."""
    return "".join(trait for trait, pattern in _PATTERNS.items() if pattern.search(module))


_JAVA = ("java.", "javax.crypto", "javax.sql", "javax.security")
_PREFIXES: Mapping[str, tuple[str, ...]] = {
    "csharp": ("System.",), "rust": ("std::",), "java": _JAVA, "kotlin": _JAVA, "scala": _JAVA,
}  # fmt: skip


def _is_standard(facts: Facts, item: Import) -> bool:
    """Whether a module comes with the language; it is then no package from outside."""
    module = item.module
    if facts.language in _PREFIXES:
        return module.startswith(_PREFIXES[facts.language])
    match facts.language:
        case "python":
            return module.split(".")[0] in sys.stdlib_module_names
        case "go":
            return "." not in module.split("/")[0]
        case "ruby":
            return not module.startswith(".")
        case "c" | "cpp":
            return item.level > 0
        case language:
            return language == "swift"


def _plain(module: str) -> str:
    """A standard module as the patterns know it: `std::fs` as `std/fs`, `pthread.h` as `pthread`."""
    return module.replace("::", "/").removesuffix(".h")
