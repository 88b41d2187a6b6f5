"""Credentials by their look and live values: hidden wherever they stand; code stays readable."""

import base64
import json
import string
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from aoci_agent.base.secrets import Mask, blanked, quotes_mask

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
# Made of the parts of real forms; none was ever valid.
BODY = "Zq3vT8kLm2Xw9RbN5yHc7JdF4gSp6AeU1oQiVtKxMzWnBrCyGhDjLsPaEfTuRkVm0Z9Y8X7W6V5U4T3S2R1Q"


def key(size: int) -> str:
    return (BODY * 3)[:size]


KEYS = {
    "OpenAI key": ("sk-proj-" + key(40) + "T3BlbkFJ" + key(40), "sk-" + (HEX * 2)),
    "Anthropic key": ("sk-ant-api03-" + key(93) + "AA",),
    "OpenRouter key": ("sk-or-v1-" + HEX * 4,),
    "Google key": ("AIza" + key(35),),
    "Google secret": ("GOCSPX-" + key(28),),
    "GitHub token": ("ghp_" + key(36), "gho_" + key(36), "github_pat_" + key(82)),
    "GitLab token": ("glpat-" + key(20),),
    "AWS key id": ("AKIA" + key(16).upper(), "ASIA" + key(16).upper()),
    "Slack token": (
        "xoxb-123456789012-1234567890123-" + key(24),
        "xoxb-123456789012-1234567890123-" + string.ascii_letters[14:38],
    ),
    "Stripe key": ("sk_live_" + key(24), "rk_test_" + key(24)),
    "npm token": ("npm_" + key(36),),
    "PyPI token": ("pypi-AgEIcHlwaS5vcmc" + key(100),),
    "Hugging Face token": ("hf_" + key(34),),
    "Groq key": ("gsk_" + key(52),),
    "SendGrid key": ("SG." + key(22) + "." + key(43),),
    "DigitalOcean token": ("dop_v1_" + HEX * 4,),
    "web token": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + key(43),),
}
LINES = "\n".join(key(70) for _ in range(8))
PRIVATE = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{LINES}\n-----END OPENSSH PRIVATE KEY-----\n"
AROUND = (
    "{}",
    'KEY="{}"\n',
    "export KEY={}",
    "config.py:12:    key = '{}',",
    "   12\tkey: {}\n",
    '{{"text": "first\\n{}\\nlast"}}',
    "\x1b[32m{}\x1b[0m",
    "GET /?key={}&x=1",
    "--token={}",
    "<{}>",
    "@@ -1 +1 @@\n-{}\n+x",
    "a.txt:11:here\na.txt-12-{}",
    "\x1b[31m-{}\x1b[m",
    "/?next=a%3D{}",
    "'next=a\\u003d{}'",
    "'first\\n-{}'",
)


@pytest.mark.gate("T12", "S16")
@pytest.mark.parametrize("around", AROUND)
def test_every_form_is_named_and_gone(around: str) -> None:
    for name, keys in KEYS.items():
        for one in keys:
            shown = Mask().mask(around.format(one))
            assert one not in shown, name
            assert f"<secret: {name}, {len(one)} characters>" in shown
            assert shown == around.format(f"<secret: {name}, {len(one)} characters>")


@pytest.mark.gate("T12", control=True)
def test_without_a_mask_a_key_is_there() -> None:
    assert KEYS["GitHub token"][0] in AROUND[1].format(KEYS["GitHub token"][0])


@pytest.mark.gate("T12", "S16")
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "cat id_rsa\n{}rest",
        "".join(f"id_rsa:{line}\n" for line in PRIVATE.splitlines()),
        "".join(f"{at:6}\t{line}\n" for at, line in enumerate(PRIVATE.splitlines(), 1)),
        json.dumps({"content": PRIVATE}),
        "".join(f"+{line}\n" for line in PRIVATE.splitlines()),
        PRIVATE[:400],
        PRIVATE.replace("\n", "\\n"),
    ],
)
def test_a_private_key_is_gone_however_it_is_printed(around: str) -> None:
    shown = Mask().mask(around.replace("{}", PRIVATE))
    assert "<secret: private key," in shown
    assert key(70) not in shown
    assert key(40) not in shown


@pytest.mark.gate("S16")
def test_blanks_keep_every_line_and_column() -> None:
    """Of what is kept about code: the places in it must stay true."""
    secret = key(40)
    texts = [around.format(one) for around in AROUND for keys in KEYS.values() for one in keys]
    texts += [PRIVATE, f"AKIA{key(16).upper()} {secret}", f"secret_access_key={secret}"]
    for text in texts:
        shown = blanked(f"before\n{text}\nafter")
        assert [len(line) for line in shown.split("\n")] == [
            len(line) for line in f"before\n{text}\nafter".split("\n")
        ]
        assert "****************" in shown
        assert blanked(shown) == shown
    assert secret not in blanked("\n".join(texts))
    assert key(70) not in blanked(PRIVATE)


def test_the_secret_beside_an_id_and_behind_its_name() -> None:
    secret = key(40)
    for text in (
        f"AKIA{key(16).upper()}\nsecret = {secret}\n",
        f"aws_secret_access_key = {secret}",
        f"AWS_SECRET_ACCESS_KEY={secret}",
        f'"secretAccessKey": "{secret}"',
    ):
        assert "<secret: AWS secret key, 40 characters>" in Mask().mask(text)
    assert Mask().mask(f"commit {HEX * 2}12345678") == f"commit {HEX * 2}12345678"


def test_headers_and_addresses() -> None:
    mask = Mask()
    assert mask.mask(f"Authorization: Bearer {key(40)}").endswith(
        "Bearer <secret: bearer token, 40 characters>"
    )
    assert (
        mask.mask("url = https://bob:hunter2hunter2@git.example.org/x.git")
        == "url = https://bob:<secret: password of an address, 14 characters>@git.example.org/x.git"
    )


@pytest.mark.parametrize(
    "code",
    [
        "token = next(tokens)",
        'headers["Authorization"] = f"Bearer {token}"',
        "postgres://user:password@localhost/db",
        "postgres://${USER}:${PASSWORD}@host",
        'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    end = "-----END RSA PRIVATE KEY-----"\n',
        ".sk-fading-circle-of-many-small-parts .sk-circle10 { color: red }",
        "mask-image-sk-something-long-and-lower-case",
        "AKIA",
        "eyJ is how a web token begins",
        "def ghp_is_no_token_but_a_function(): pass",
        "sha512-" + base64.b64encode(b"x" * 64).decode(),
        "npm_config_cache_folder_is_a_variable_of_npm",
        "hf_hub_download(repo_id=name, filename=weights)",
        "glpat-",
        "xoxb-not-a-real-token-of-slack",
        "SG.utils.helpers",
        "whsec_",
        "x" * 5_000,
    ],
)
def test_code_is_left_as_it_is(code: str) -> None:
    assert Mask().mask(code) == code


VALUES = st.text(alphabet=LETTERS + "+/=_-.!$'\" \\%", min_size=12, max_size=80)


@pytest.mark.gate("T12")
@given(VALUES, st.text(max_size=30), st.text(max_size=30))
def test_a_live_value_is_never_in_what_is_shown(value: str, before: str, after: str) -> None:
    shown = Mask([value]).mask(before + value + after)
    assert value not in shown or value in before + after


@given(st.text(alphabet=LETTERS, min_size=20, max_size=60), st.binary(max_size=9), st.binary())
def test_a_live_value_is_known_in_other_spellings(value: str, before: bytes, after: bytes) -> None:
    mask = Mask([value])
    encoded = base64.b64encode(before + value.encode() + after).decode()
    assert base64.b64encode(before + value.encode() + after).decode() not in mask.mask(encoded)
    for spelling in (quote(value, safe=""), value.encode().hex(), json.dumps(value)):
        assert spelling not in mask.mask(spelling)


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    once = Mask(["a value of twelve"]).mask(text)
    assert Mask(["a value of twelve"]).mask(once) == once


def test_what_is_live_is_told_by_the_names_of_an_environment() -> None:
    env = {
        "OPENAI_API_KEY": KEYS["OpenAI key"][0],
        "MY_SERVICE_TOKEN": "tok-12345678901234",
        "SSH_AUTH_SOCK": "/tmp/ssh-1234567890/agent",
        "TOKEN": "short1",
        "POSTGRES_PASSWORD": "postgres",
        "PATH": "/usr/bin:/bin:/usr/local/bin1",
    }
    mask = Mask.of(env)
    shown = mask.mask("\n".join(f"{name}={value}" for name, value in env.items()))
    assert f"OPENAI_API_KEY=<secret: OpenAI key, {len(env['OPENAI_API_KEY'])} characters>" in shown
    assert "MY_SERVICE_TOKEN=<secret: key of this agent, 18 characters>" in shown
    for kept in ("SSH_AUTH_SOCK", "TOKEN", "POSTGRES_PASSWORD", "PATH"):
        assert f"{kept}={env[kept]}" in shown


def test_a_mark_is_known_again() -> None:
    shown = Mask().mask("key = " + KEYS["Anthropic key"][0])
    assert quotes_mask(shown)
    assert not quotes_mask("<secret: of success>")
