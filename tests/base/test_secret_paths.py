import pytest

from aoci_agent.aoci.wordset import wordset
from aoci_agent.base.secret_paths import may_hold_secrets

SECRET = wordset(
    ".env .ENV .env.local .env.production .envrc prod.env a/b/.env .netrc _netrc .npmrc .pypirc .pgpass"
    " server.pem tls/private.key id_rsa id_ed25519 keys/deploy_rsa cert.p12 a.pfx vault.kdbx a.jks"
    " credentials credentials.json aws-credentials.yml secrets.yaml app.secrets.toml secrets"
    " service-account.json service_account_x.json client_secret.json terraform.tfstate prod.tfvars"
    " .aws/config .ssh/known_hosts home/.gnupg/x .kube/config .docker/config.json .git/config .htpasswd"
    " .git-credentials .bash_history master.key .env. .Env \uff0eenv"
)
PLAIN = wordset(
    ".env.example .env.sample .env.template env environment.py src/secrets.py credentials.rb id_rsa.pub"
    " keyboard.py monkey.ts README.md public.pem.md key.go src/keys/main.c .envoy.yaml tokens.json .docker/Dockerfile"
    " .github/workflows/a.yml package.json secretary.txt .git/HEAD a.environment envfile"
)


@pytest.mark.gate("T12", "S16")
@pytest.mark.parametrize("path", sorted(SECRET))
def test_names_that_may_hold_secrets(path: str) -> None:
    assert may_hold_secrets(path)


@pytest.mark.parametrize("path", sorted({"", ".", *PLAIN}))
def test_names_that_do_not(path: str) -> None:
    assert not may_hold_secrets(path)
