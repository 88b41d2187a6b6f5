from collections.abc import Mapping

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.resolve.links import Links, resolve
from aoci_agent.aoci.surroundings import ShortNames


def links(files: Mapping[str, str]) -> Links:
    return resolve({path: extract(path, text.encode()) for path, text in sorted(files.items())})


def test_python_imports() -> None:
    found = links(
        {
            "src/pkg/__init__.py": "from ._core import *\nfrom .sub import Thing as T\n",
            "src/pkg/_core.py": "class Client: ...\n",
            "src/pkg/sub/__init__.py": "from .impl import Thing\n",
            "src/pkg/sub/impl.py": "from ... import pkg\nfrom .. import _core\nclass Thing: ...\n",
            "tests/test_it.py": (
                "import pkg\nimport pytest\nimport os.path\nfrom pkg.sub import Thing\n"
                "from helper import aid\npkg.Client(); pkg.Client()\n"
            ),
            "tests/helper.py": "def aid(): ...\n",
        }
    )
    assert set(found.edges["tests/test_it.py"]) == {
        "src/pkg/__init__.py",
        "src/pkg/_core.py",
        "src/pkg/sub/impl.py",
        "tests/helper.py",
    }
    assert found.edges["tests/test_it.py"]["src/pkg/_core.py"] == 2
    assert set(found.outside["tests/test_it.py"]) == {"pytest"}
    assert "src/pkg/_core.py" in found.edges["src/pkg/sub/impl.py"]
    assert found.used_by["src/pkg/sub/impl.py", "Thing"] >= {"tests/test_it.py"}


def test_script_imports() -> None:
    found = links(
        {
            "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
            "packages/ui/package.json": '{"name": "@acme/ui", "main": "./dist/index.js"}',
            "packages/ui/src/index.ts": "export * from './button';\n",
            "packages/ui/src/button.tsx": "export const Button = () => null;\n",
            "src/a.ts": (
                "import { b } from './b.js';\nimport { deep } from '@/lib';\n"
                "import { Button } from '@acme/ui';\nimport x from 'react';\nimport './gone';\n"
                "import { c } from 'src/c';\nimport '@scope/pkg/inner';\n"
            ),
            "src/b.ts": "export const b = 1;\n",
            "src/c.ts": "export const c = 1;\n",
            "src/lib/index.ts": "export { deep } from './deep';\n",
            "src/lib/deep.ts": "export function deep() {}\n",
        }
    )
    assert set(found.edges["src/a.ts"]) == {
        "src/b.ts",
        "src/c.ts",
        "src/lib/deep.ts",
        "packages/ui/src/button.tsx",
    }
    assert set(found.outside["src/a.ts"]) == {"react", "@scope/pkg"}
    assert found.missing == {"src/a.ts": ["./gone"]}


def test_go_imports() -> None:
    found = links(
        {
            "backend/go.mod": "module example.com/app\n",
            "backend/main.go": (
                'package main\nimport (\n"fmt"\n"example.com/app/svc"\n"github.com/gin-gonic/gin"\n)\n'
                "func main() { svc.NewUser(); gin.New(); fmt.Println() }\n"
            ),
            "backend/svc/user.go": "package svc\nfunc NewUser() *base { return shared() }\n",
            "backend/svc/base.go": "package svc\ntype base struct{}\nfunc shared() *base { return nil }\n",
            "backend/svc/user_test.go": "package svc\nfunc TestUser() { NewUser() }\n",
        }
    )
    assert set(found.edges["backend/main.go"]) == {"backend/svc/user.go"}
    assert set(found.outside["backend/main.go"]) == {"gin"}
    assert found.edges["backend/svc/user.go"] == {"backend/svc/base.go": 2}
    assert "backend/svc/user.go" in found.edges["backend/svc/user_test.go"]


def test_requests_lead_to_the_file_that_answers() -> None:
    found = links(
        {
            "api/user.go": "package api\n// @Router /admin/user/{id} [get]\nfunc Get() {}\n",
            "web/user.ts": 'export const get = (id) => request({ path: `/admin/user/${id}`, method: "GET" });\n',
            "web/other.ts": "fetch('/api/admin/user/7');\n",
        }
    )
    assert found.edges["web/user.ts"] == {"api/user.go": 1}
    assert "web/other.ts" not in found.edges


def test_short_names_are_unique_endings() -> None:
    short = ShortNames(["a/b/x.py", "c/b/x.py", "a/only.py", "one.pyi", "one.py", ".env"])
    assert short("a/only.py") == "only"
    assert short("a/b/x.py") == "a/b/x"
    assert short("one.py") == "one.py"
    assert short(".env") == ".env"
