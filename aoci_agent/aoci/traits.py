"""D, technical traits: only on the evidence of an import, a call or a statement, never of a word."""

import re
import sys
from collections.abc import Iterable, Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.tags import MAX_TRAITS

_MODULES: Mapping[str, str] = {
    "A": r"jwt|jose|jsonwebtoken|passlib|authlib|oauth|oauthlib|next-auth|better-auth|casbin|passport|keycloak|oidc|saml|django\.contrib\.auth|flask_login",
    "C": r"redis|ioredis|cachetools|lru-cache|lru|memcache|bigcache|ristretto|cacheable-request|keyv",
    "D": r"sqlalchemy|django\.db|gorm|sqlx|sql|sqlite3|pgx|pg|pq|psycopg2?|asyncpg|mysql|drizzle-orm|prisma|mongo|mongoose|typeorm|better-sqlite3|peewee|ent|knex|sequelize",
    "E": r"cryptography|hashlib|hmac|crypto|bcrypt|bcryptjs|argon2|sha256|md5|aes|cipher|nacl|Crypto|secrets",
    "F": r"boto3|botocore|minio|s3|client-s3|multer|oss|formidable|shutil|tempfile|fs|fs-extra|node:fs",
    "H": r"requests|httpx|aiohttp|axios|got|ky|node-fetch|undici|resty|urllib3|httpcore|urllib\.request",
    "L": r"openai|anthropic|langchain|langchain_core|langgraph|eino|litellm|llama_index|transformers|ollama|ai|go-openai|genai|mcp|vllm",
    "P": r"threading|multiprocessing|subprocess|concurrent\.futures|exec|child_process|node:child_process|worker_threads|errgroup|node-pty",
    "Q": r"celery|kafka|kafka-go|sarama|nats|nats\.go|rabbitmq|amqp|amqp091-go|pika|bull|bullmq|rq|dramatiq|asynq",
    "R": r"tenacity|backoff|rate|limiter|slowapi|p-retry|async-retry|ratelimit|rate-limiter-flexible",
    "S": r"sse|sse-starlette|eventsource|fetch-event-source|eventsource-parser",
    "V": r"pydantic|zod|validator|joi|yup|marshmallow|cerberus|ajv|valibot|class-validator",
    "W": r"websockets?|ws|socket\.io|socket\.io-client|socketio|channels",
    "Y": r"asyncio|anyio|trio|curio|uvloop",
}  # fmt: skip
_PATTERNS = {
    trait: re.compile(rf"(?:^|[/@.]|go-)(?:{names})(?:$|/|\.(?=[a-z]))")
    for trait, names in _MODULES.items()
}
_CALLS: Mapping[str, frozenset[str]] = {
    "T": frozenset(
        ("transaction", "Transaction", "rollback", "Rollback", "BeginTx", "atomic", "begin_nested")
    ),
    "B": frozenset(("getItem", "setItem", "removeItem")),
    "S": frozenset(("SSEvent", "StreamingResponse", "getReader", "iter_stream", "aiter_stream")),
    "Q": frozenset(("publish", "Publish", "subscribe", "Subscribe", "send_task", "apply_async")),
    "W": frozenset(("websocket_connect", "accept_websocket")),
}


def traits_of(facts: Facts, outside: Iterable[str]) -> str:
    """Trait codes, sorted, at most four. `outside` names the packages from outside the repository."""
    modules = [
        *outside,
        *(item.module for item in facts.imports if _is_standard(facts, item.module)),
    ]
    called = set(facts.members)
    found = {
        trait
        for trait, pattern in _PATTERNS.items()
        if any(pattern.search(module) for module in modules)
    }
    found |= {trait for trait, names in _CALLS.items() if called & names}
    if facts.tables:
        found.add("D")
    if facts.calls:
        found.add("H")
    if any(name == "lru_cache" for item in facts.imports for name, _ in item.names):
        found.add("C")
    return "".join(sorted(found)[:MAX_TRAITS])


def _is_standard(facts: Facts, module: str) -> bool:
    if facts.language == "python":
        return module.split(".")[0] in sys.stdlib_module_names
    return facts.language == "go" and "." not in module.split("/")[0]
