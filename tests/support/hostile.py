"""Texts that a file, a model or a server could send to take over the screen."""

MARKUP = (
    "a[/]b", "[/bad]", "[/some/path]", "foo [/dim]", "[@click=app.quit]x[/]", "[@click=app.leave]x[/]",
    "[@click='app.interrupt']y[/]", "[stage=x:", "[stage=1] n", "cmd [x=,\n]", "[data: /m?s=b-609b-]",
    "[link=file:///etc/passwd]x[/link]", "[link='http://x']", "[b", "[b]bold[/b]", "[/b]", "[red]x",
    "[on red]x[/]", "[[x]]", "\\[b]", "\\\\[b]x", "[$primary]x[/]", "[auto]x", "[!x]", "[]", "[ ]", "[=]",
    "[a=b c=d]", "[bold italic underline]x[/bold]", "[@click=screen.dismiss(1)]x", "x[", "x]", "[#fff]x[/#fff]",
    "list[int]", "dict[str, list[int]]", "arr[i][j]", "[x](http://e)", "{{x}}", "{0}", "%s", "$text-error",
)  # fmt: skip

ESCAPES = (
    "\x1b[2J", "\x1b[H", "\x1b[2K", "\x1b[1A", "\x1b[?1049l", "\x1b[?25l", "\x1b[?2004l", "\x1b[6n", "\x1b[c",
    "\x1b]0;title\x07", "\x1b]2;title\x1b\\", "\x1b]52;c;cHduZWQ=\x07", "\x1b]8;;http://e\x1b\\x\x1b]8;;\x1b\\",
    "\x1b]1337;File=x:y\x07", "\x1b]9;note\x07", "\x1bP+q544e\x1b\\", "\x1b_Gx\x1b\\", "\x1b^x\x1b\\", "\x1bc",
    "\x1b7", "\x1b8", "\x1b[31m", "\x1b[8m", "\x1b[3g", "\x9b2J", "\x9d52;c;eA==\x9c", "\x90x\x9c", "\x07",
    "\x08\x08", "safe\rrm -rf ~", "a\x0bb", "a\x0cb", "\x00", "\x7f", "\u202edlrow", "\u2066x\u2069", "a\u200bb",
    "\U000e0041\U000e0042", "\ufeffx", "\x1b", "\x1b[", "\x1b]52;c;", "a\u2028b",
)  # fmt: skip
