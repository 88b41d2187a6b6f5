from aoci_agent.aoci.lookup import search, words_of
from aoci_agent.aoci.model import Entry, Index, Tag

TAG = Tag("S", "Ab", 5, "", "M")
INDEX = Index(
    (),
    (
        Entry("auth", "jwt_token.py", TAG, "verifies bearer tokens", (), ("verifyToken",), ""),
        Entry("http", "client.py", TAG, "sends requests", ("auth/jwt_token",), ("Client",), ""),
        Entry("http", "retry.py", TAG, "", (), ("RetryPolicy",), "raises TooManyRetries"),
        Entry("ui", "登录.tsx", TAG, "用户登录页面", (), (), ""),
    ),
)


def paths(query: str) -> list[str]:
    return [hit.path for hit in search(INDEX, query)]


def test_identifiers_are_split_and_stemmed() -> None:
    assert words_of("verifyTokens HTTPServer snake_case") == words_of(
        "verify token http server snake case"
    )


def test_the_file_itself_comes_before_its_neighbours() -> None:
    assert paths("where are JWT tokens verified")[:2] == ["auth/jwt_token.py", "http/client.py"]
    assert paths("retries")[0] == "http/retry.py"


def test_a_path_is_found_exactly() -> None:
    assert paths("client.py")[0] == "http/client.py"
    assert paths("http/retry.py")[0] == "http/retry.py"


def test_other_scripts_are_found() -> None:
    assert paths("登录") == ["ui/登录.tsx"]


def test_nothing_is_an_answer() -> None:
    assert paths("zebra") == []
    assert paths("the of") == []
    assert search(Index(), "client") == []
    assert len(search(INDEX, "http auth client", limit=1)) == 1
