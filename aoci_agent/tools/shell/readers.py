"""The closed list of programs that plainly read, with the closed list of options of each.

Options are named one by one, so that a program that learns a new one does not widen what runs
unasked. Left out on purpose: what writes (`sort -o`), what runs something (`rg --pre`, `find
-exec`), what follows links or goes on without end, and what takes names of files from a file.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Reader:
    """What a program may be given.

    `letters` are its one-letter options, alone or several in one word; `valued` those that take a
    value, joined or as the next word. `long` names long options without "--", blank-separated; one
    with "=" takes a value, always joined. `skip` operands come first that are no paths; `most`
    operands at all. `pattern` are letters that give the pattern instead of the first operand.
    `deep` are letters with which it looks below folders, "*" for always.
    """

    letters: str = ""
    valued: str = ""
    long: str = ""
    skip: int = 0
    most: int = 1_000
    number: bool = False  # "-5" is an option
    pattern: str = ""
    deep: str = ""


_WORDS = Reader(skip=1_000)
_GREP = Reader(
    letters="nilcvwxsFoHhEGPrIqabLyz",
    valued="eABCm",
    long=(
        "line-number ignore-case recursive count files-with-matches fixed-strings extended-regexp"
        " perl-regexp word-regexp only-matching invert-match no-filename with-filename quiet"
        " color= colour= context= after-context= before-context= max-count= include= exclude="
        " exclude-dir= no-messages text"
    ),
    skip=1,
    pattern="e",
    deep="r",
    number=True,
)
_HEAD = Reader("qv", "nc", "lines= bytes= quiet verbose silent", number=True)
_HASH = Reader("bt")
READERS: dict[str, Reader] = {
    "ls": Reader(
        "aAlhtrSsR1dFigGnopcukmxqBQXvU",
        long="all almost-all human-readable reverse recursive size color= sort= time= directory"
        " group-directories-first full-time classify inode time-style=",
    ),
    "pwd": Reader("LP", most=0),
    "cat": Reader("nbsAEvTetu", long="number number-nonblank show-all squeeze-blank show-ends"),
    "head": _HEAD,
    "tail": _HEAD,
    "wc": Reader("lwcmL", long="lines words chars bytes max-line-length"),
    "sort": Reader(
        "bdfghinrRuVMsc",
        "kt",
        "unique reverse numeric-sort key= field-separator= ignore-case human-numeric-sort stable",
    ),
    "uniq": Reader("cdiuD", "fsw", "count repeated unique ignore-case", most=1),
    "cut": Reader("s", "dfbc", "delimiter= fields= bytes= characters= complement only-delimited"),
    "tr": replace(_WORDS, letters="dsctC", long="delete squeeze-repeats complement"),
    "diff": Reader(
        "urNqwbBiEyapsd",
        "U",
        "brief unified= side-by-side color= recursive ignore-all-space ignore-blank-lines width="
        " suppress-common-lines new-file ignore-case",
        deep="*",
    ),
    "cmp": Reader("slb"),
    "comm": Reader("123"),
    "file": Reader("bihkN", long="brief mime mime-type mime-encoding"),
    "stat": Reader("t", "c", "format= printf= terse"),
    "du": Reader("shackmbx0", "d", "max-depth= human-readable summarize all apparent-size total"),
    "df": Reader("hTikPa", long="human-readable"),
    "nl": Reader("", "bwnvs"),
    "tac": Reader(),
    "rev": Reader(),
    "fold": Reader("s", "w"),
    "paste": Reader("s", "d"),
    "column": Reader("t", "s"),
    "md5sum": _HASH,
    "sha1sum": _HASH,
    "sha256sum": _HASH,
    "which": replace(_WORDS, letters="a"),
    "basename": replace(_WORDS, letters="az", valued="s"),
    "dirname": replace(_WORDS, letters="z"),
    "realpath": Reader("emsPqz", long="relative-to= relative-base="),
    "readlink": Reader("fenmz"),
    "date": Reader("uIR", "d", "iso-8601= iso-8601 utc rfc-3339= date=", skip=1, most=1),
    "uname": Reader("asrmpnov", most=0),
    "whoami": Reader(most=0),
    "id": Reader("ugnG", most=0),
    "nproc": Reader(most=0),
    "true": _WORDS,
    "false": _WORDS,
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Reader(
        "nilcvwxsSFoHNPUp.",
        "eABCmgtTjrEd",
        "line-number ignore-case smart-case case-sensitive files-with-matches count fixed-strings"
        " word-regexp no-heading heading context= after-context= before-context= max-count= type="
        " type-not= glob= iglob= hidden files sort= sortr= stats json multiline only-matching"
        " max-depth= color= trim no-filename with-filename column vimgrep no-ignore no-line-number"
        " invert-match no-messages files-without-match count-matches no-config",
        skip=1,
        pattern="e",
        deep="*",
    ),
    "tree": Reader(
        "adfihspugDCFn", "LIP", "dirsfirst noreport gitignore prune filelimit= charset= du"
    ),
    "jq": Reader("rcSesnjCMa", long="raw-output compact-output sort-keys slurp tab", skip=1),
}
_LOG = Reader(
    "pnisMCw",
    "nSGU",
    "oneline graph decorate decorate= all stat name-only name-status format= pretty= pretty since="
    " until= after= before= author= committer= grep= max-count= follow no-merges merges reverse"
    " abbrev-commit date= patch no-patch first-parent shortstat numstat skip= branches tags remotes"
    " color= no-color diff-filter= unified= no-ext-diff no-textconv summary cherry-pick left-right",
    number=True,
)
GIT: dict[str, Reader] = {
    "status": Reader("sbuzv", long="short branch porcelain porcelain= untracked-files= long ahead-behind"),
    "diff": Reader(
        "pwbMCz", "U",
        "stat cached staged name-only name-status numstat shortstat summary word-diff color= no-color"
        " unified= ignore-all-space ignore-space-change ignore-blank-lines diff-filter= check"
        " minimal patience histogram no-ext-diff no-textconv exit-code quiet no-renames merge-base",
    ),
    "log": _LOG,
    "show": _LOG,
    "branch": Reader(
        "arv", long="list all remotes show-current contains= merged= no-merged= sort= format= verbose"
        " merged no-merged", most=0,
    ),
    "tag": Reader("ln", long="list sort= contains= merged", most=0),
    "stash": Reader(skip=1, most=1),  # list only: see plainly
    "blame": Reader("wselcn", "L"),
    "ls-files": Reader(
        "cdmoskzt", long="others exclude-standard cached modified deleted stage full-name error-unmatch"
    ),
    "ls-tree": Reader("rdtlz", long="name-only name-status full-tree long full-name"),
    "rev-parse": Reader(
        "q", long="show-toplevel abbrev-ref short short= verify git-dir is-inside-work-tree"
        " show-prefix show-cdup quiet all symbolic-full-name",
    ),
    "rev-list": Reader("n", long="count all max-count= no-merges first-parent since= until=", number=True),
    "shortlog": Reader("sne", long="summary numbered email all no-merges since="),
    "describe": Reader(long="tags always long dirty abbrev= all exact-match"),
    "merge-base": Reader("a", long="all is-ancestor"),
    "cat-file": Reader("pts"),
}  # fmt: skip
# `find`: tests that take a value, and those that take none. Nothing that acts but `-print`.
FIND_VALUED = frozenset({
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-maxdepth",
    "-mindepth", "-size", "-mtime", "-mmin", "-atime", "-ctime", "-newer", "-perm", "-user", "-group",
    "-regextype",
})  # fmt: skip
FIND_ALONE = frozenset(
    {
        "-not",
        "!",
        "-o",
        "-or",
        "-a",
        "-and",
        "(",
        ")",
        "-print",
        "-print0",
        "-empty",
        "-prune",
        "-depth",
    }
)
VERSIONS = frozenset({"python", "python3", "node", "git", "rg", "bash", "gcc", "clang", "jq"})
