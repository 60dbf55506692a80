"""TeX's log: the first error, its line in the figure, and a hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tikzgen.base.errors import LatexError
from tikzgen.base.patterns import pattern_of
from tikzgen.base.stock_colors import STOCK
from tikzgen.base.suggest import find_similar_name
from tikzgen.compile.tex.argv import JOB
from tikzgen.compile.tex.install import System
from tikzgen.compile.tex.remedies import find_remedy
from tikzgen.texfile import Facts, node_names, scan

# Keys of TikZ that figures use in addition to their own styles.
_KEYS = (
    "above below left right above-left above-right anchor align arrows at auto bend-left bend-right centered circle "
    "clip color column-sep cycle dash-pattern dashed decorate decoration densely-dashed densely-dotted dotted double "
    "draw ellipse every-node every-path fill fill-opacity fit font inner-sep inner-xsep inner-ysep label "
    "line-cap line-join line-width loosely-dashed matrix midway minimum-height minimum-size minimum-width "
    "name near-end near-start node-distance node-font opacity outer-sep overlay path-picture pattern pos "
    "postaction preaction rectangle remember-picture rotate rounded-corners row-sep scale shape sharp-corners "
    "shift shorten-< shorten-> sloped solid swap text text-depth text-height text-opacity text-width "
    "thick thin transform-shape ultra-thick use-as-bounding-box very-thick very-thin xscale xshift yscale yshift"
)
# Commands of LaTeX that labels use in addition to math commands.
_COMMANDS = (
    "bfseries itshape rmfamily sffamily ttfamily scshape tiny scriptsize footnotesize small normalsize large Large "
    "textbf textit textrm textsf texttt textsc emph underline textcolor color raisebox rotatebox scalebox mbox "
    "hspace vspace rule quad qquad shortstack makebox parbox centering strut phantom draw fill path node coordinate "
    "foreach tikzset definecolor usepackage usetikzlibrary begin end"
)


def _list_keys(facts: Facts) -> list[str]:
    return [*(style.name for style in facts.styles), *(key.replace("-", " ") for key in _KEYS.split())]


def _list_nodes(facts: Facts) -> list[str]:
    return [name for index in range(len(facts.nodes)) for name in node_names(facts, index)]


def _list_colors(facts: Facts) -> list[str]:
    return [*(color.name for color in facts.colors), *STOCK]


def _list_commands(facts: Facts) -> list[str]:
    from tikzgen.text.maths.maths_commands import command_names  # with pydantic, which no reader in a sandbox sees

    own = (definition.name.removeprefix("\\") for definition in facts.definitions)
    return [*own, *_COMMANDS.split(), *command_names()]


_SEARCHES: tuple[tuple[str, Callable[[Facts], Iterable[str]]], ...] = (
    (r"I do not know the key '/(?:tikz|pgf)/(?P<name>[^']+)'", _list_keys),
    (r"No shape named [`'](?P<name>[^']+)'", _list_nodes),
    (r"Undefined color [`'](?P<name>[^']+)'", _list_colors),
    (r"Undefined control sequence \\(?P<name>[A-Za-z]{2,})$", _list_commands),
)


def did_you_mean(message: str, source: str) -> str:
    """Return `did you mean "icon"?` for a name similar to one of the figure or of LaTeX, or nothing."""
    for pattern, names in _SEARCHES:
        if found := re.search(pattern, message):
            given, known = found["name"], list(names(scan(source)))
            near = find_similar_name(given, known, cutoff=0.8) if given not in known else ""
            sign = "\\" if names is _list_commands else ""
            return f'did you mean "{sign}{near}"?' if near else ""
    return ""


# -file-line-error writes `./figure.tex:12: message`. Errors outside of a file, and LaTeX's questions, begin with `! `;
# errors in Lua code begin with the name of the chunk.
_PLACED_ERROR = pattern_of(r"^(?P<file>\S.*\.\w+):(?P<line>\d+): (?P<message>\S.*)$")
_BARE_ERROR = pattern_of(r"^! ?(?P<message>\S.*)$")
_LUA = pattern_of(r"^.{0,3}\[\\directlua\]:\d+: (?P<message>(?!in (?:main chunk|function|local|field|upvalue))\S.*)$")
_CONTEXT_LINE = pattern_of(r"^l\.(\d+) ?(.*)$")
_CONTINUATION = pattern_of(r"^(?:\([\w.-]+\)\s{2,}|\s{6,})(?P<text>\S.*)$")
_EXPANSION = pattern_of(r"^(\\[A-Za-z@]+) ?(?:\S.*)?->")
_LAST_COMMAND = pattern_of(r"(\\(?:[A-Za-z@]+|.))\s*$")
_MISSING_FILE = pattern_of(r"File [`'](?P<name>[^']+)' not found")
# A missing font causes a misleading error; a few lines before it, the log has the reason.
_REASONS = pattern_of(
    r"""Font shape [`']C\d\d/(?P<cjk>\w+)/\S+ undefined|File not found: "(?P<file>[^"]+\.(?:otf|ttf|ttc))\""""
)
_BEFORE_LINES = 8
_RERUN = pattern_of(r"Rerun to get|Label\(s\) may have changed|rerun LaTeX", re.IGNORECASE)
_SPEAKER = pattern_of(r"^(?:Fatal |Critical )?(?:LaTeX3?|Package|Class) (?P<name>[\w .-]+? )?Error: *")
# Advice in TeX's messages, which tikzgen's hints replace.
_CHATTER = pattern_of(r"(?: and I am going to ignore it)?\. (?:I looked for|Perhaps you|Or name \\end).*")
_LINE_CHARS = 120
_MESSAGE_CHARS = 4000  # characters; TeX itself breaks lines at 1000
_CONTEXT_LINES = 250  # lines of context after an error


def first_error(log: str, source: str) -> LatexError | None:
    """Return the first error of a log, or None."""
    lines = [line[:_MESSAGE_CHARS] for line in log.split("\n")]
    starts = (_PLACED_ERROR.match(text) or _BARE_ERROR.match(text) or _LUA.match(text) for text in lines)
    index, found = next(((index, found) for index, found in enumerate(starts) if found), (0, None))
    if found is None:
        return None
    rest = lines[index + 1 :]
    message = _join_message(found["message"], rest)
    number = _find_error_line(found, message, rest, source) or _line_of_package(found["message"], source)
    if reason := _REASONS.search("\n".join(lines[max(0, index - _BEFORE_LINES) : index + 1])):
        message = f'The font "{reason["cjk"] or reason["file"]}" cannot be found'
    message = _name_command(message, rest)
    written = source.split("\n")
    excerpt = written[number - 1].strip() if number and number <= len(written) else ""
    read, trail = _text_before_error(rest, number)
    excerpt = excerpt if len(excerpt) <= _LINE_CHARS else excerpt[: _LINE_CHARS - 1] + "…"
    return LatexError(message, line=number, excerpt=excerpt, log=log, read=read, trail=trail)


def latex_error(log: str, source: str, *, engine: str, system: System) -> LatexError | None:
    """Return the first error of a log as the exception to raise, with its hint."""
    error = first_error(log, source)
    if error is not None:
        error.hint = did_you_mean(error.message, source) or find_remedy(error.message, engine=engine, system=system)
    return error


def wants_rerun(log: str) -> bool:
    """Return whether LaTeX asks for another run."""
    return _RERUN.search(log) is not None


def _join_message(message: str, rest: list[str]) -> str:
    """Join a message with its continuation lines."""
    if "Error:" in message:
        for text in rest:
            continued = _CONTINUATION.match(text)
            if continued is None:
                break
            message += " " + continued["text"].strip()
    plain = _CHATTER.sub("", re.sub(r"\s+", " ", _SPEAKER.sub("", message))).rstrip("., ")
    return plain or message


def _find_error_line(found: re.Match[str], message: str, rest: list[str], source: str) -> int | None:
    """Return the line of the figure that caused the error, or None."""
    fields = found.groupdict()
    file = fields.get("file")
    if file is not None and file.removeprefix("./") != f"{JOB}.tex":
        # The error is in a package: return the line that loads it.
        return _find_mention(re.split(r"[/\\]", file)[-1].partition(".")[0], source)
    if missing := _MISSING_FILE.search(message):
        # TeX reports a missing file only after later lines.
        mention = _find_mention(missing["name"].rpartition(".")[0] or missing["name"], source)
        if mention:
            return mention
    if file is not None:
        return int(fields["line"])
    for text in rest:
        if placed := _CONTEXT_LINE.match(text):
            return int(placed[1])
        if (after := _PLACED_ERROR.match(text)) and after["file"].removeprefix("./") == f"{JOB}.tex":
            return int(after["line"])
    return None


def _line_of_package(message: str, source: str) -> int | None:
    """Return the line that loads the package in an error message."""
    speaker = _SPEAKER.match(message)
    return _find_mention(speaker["name"].strip(), source) if speaker and speaker["name"] else None


def _text_before_error(rest: list[str], number: int | None) -> tuple[str, tuple[str, ...]]:
    r"""Return the text read on line `number`, and the surrounding macros, from the lines after the message.

    TeX shows them from the inside out, each as `\name #1->text`; the line of the file comes last.
    """
    trail: list[str] = []
    for text in rest[:_CONTEXT_LINES]:
        if placed := _CONTEXT_LINE.match(text):
            return (placed[2] if int(placed[1]) == number else ""), tuple(trail)
        if _PLACED_ERROR.match(text):
            break
        if (expanded := _EXPANSION.match(text)) and expanded[1] not in trail:
            trail.append(expanded[1])
    return "", tuple(trail)


def _find_mention(word: str, source: str) -> int | None:
    whole = pattern_of(rf"^[^%]*(?<!\w){re.escape(word)}(?!\w)")
    return next((number for number, text in enumerate(source.split("\n"), 1) if whole.search(text)), None)


def _name_command(message: str, rest: list[str]) -> str:
    """Add the command, the last one that TeX read, to `Undefined control sequence`."""
    if message != "Undefined control sequence" or not rest:
        return message
    context = _CONTEXT_LINE.match(rest[0])
    last = _LAST_COMMAND.search(context[2] if context else rest[0])
    return f"{message} {last[1]}" if last else message
