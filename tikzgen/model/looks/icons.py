r"""Icons: small pictures, one file each, with a header that states their size.

An icon is the file `icons/<name>.tex.j2` in a template folder of tikzgen or of a user. The name consists of the
letters a-z and hyphens. The file is a header, then plain TikZ statements, one element per line:

    <#-
    description: A switch with two positions.
    size: 1.4 x 0.6
    origin: 0 0
    color: otblue
    -#>
    \filldraw[draw=<< color >>!70!ink, fill=<< color >>!12!paper, rounded corners=1.5pt] (0,0) rectangle (1.4,0.6);
    \fill[<< color >>!70!ink] (0.3,0.3) circle[radius=0.1];

- `size` is width x height in cm of the drawing, without the width of its outline.
- `origin` is the lower left corner of that box, by default `0 0`.
- `color` is the main color, a palette name, by default `otgray`. The body writes `<< color >>` for it. So the color of
  a single worker can be changed.
- All colors are palette names mixed with `paper` or `ink`, so that light and dark figures both work.
- The statements end up in a macro, inside a picture with 0.6pt lines, round joins, butt caps and sharp corners. `#`,
  blank lines and TikZ libraries are not allowed; a node sets its own font and `inner sep`.

The built-in icons share one style. Fills are 12, 28 or 50 percent of the color in `paper`, more for elements further
in front; strokes and labels are 70 percent with ink. Outlines are 0.6pt, details 0.5pt, symbols such as arrows 0.8pt.
Bodies have corners of 1.5pt; inner parts have square ones, because TeX takes ten times as long for a rounded
rectangle. A row of contacts, pins or vents is one thick dashed line: to show more of them, make it longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import FileRefused, Place, Problem, SpecError, TikzgenError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.record import Record, replace
from tikzgen.base.suggest import suggest_known_names
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.model.content import KINDS, Content

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel, Recipe


COLORS = ("otblue", "otorange", "otteal", "otpurple", "otgray")

_SUFFIX = ".tex.j2"
_DEFAULTS = {"origin": "0 0", "color": "otgray"}
_FIELDS = ("description", "size", *_DEFAULTS)
_HEADER = re.compile(r"<#-?[ \t]*\n(?P<lines>.*?)^[ \t]*-?#>", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<#.*?#>", re.DOTALL)
_NUMBER = r"(\d+\.?\d*|\.\d+)"
_SIZE = re.compile(rf"{_NUMBER} *x *{_NUMBER}", re.ASCII)
_ORIGIN = re.compile(rf"(-?{_NUMBER}) +(-?{_NUMBER})", re.ASCII)


class Icon(Record):
    """Header of an icon; lengths are in cm."""

    name: str
    description: str
    width: float
    height: float
    origin: tuple[float, float]
    color: str


def discover_icons(folders: Sequence[Path] = ()) -> Mapping[str, Icon]:
    """Return all icons by name, sorted; earlier folders override later ones and the built-in icons.

    Only file names are read now. A header is read at first access, which raises `TikzgenError` for a bad header and
    `FileRefused` for an unreadable file.
    """
    if not folders:
        return _built_in_icons()
    paths: dict[str, Path] = {}
    for folder in (template_folder(), *reversed(folders)):
        paths |= _find_icon_paths(folder)
    return _Icons({name: paths[name] for name in sorted(paths)})


@cache
def _built_in_icons() -> Mapping[str, Icon]:
    """Return the built-in icons, which do not change while the program runs."""
    paths = _find_icon_paths(template_folder())
    return _Icons({name: paths[name] for name in sorted(paths)})


def _find_icon_paths(folder: Path) -> dict[str, Path]:
    return {path.name.removesuffix(_SUFFIX): path for path in folder.glob(f"icons/*{_SUFFIX}")}


ICON_FOLDERS: tuple[Table[Any], ...] = (Table("icons", {}, classes=True), Table("templates", {}, classes=True))
"""Folders with icons of packages; `tikzgen.templates` is the older name of the group."""


def plugin_folders() -> tuple[Path, ...]:
    """Return the template folders of installed packages, from their entry points in `tikzgen.icons`.

    An entry is a path, or a module next to whose file there is a folder `templates`. The lookup takes some
    milliseconds, so it runs only for an icon that is not found elsewhere.
    """
    entries = [table[name] for table in ICON_FOLDERS for name in table]
    return tuple(
        Path(entry) if isinstance(entry, str | Path) else Path(entry.__file__).parent / "templates" for entry in entries
    )


def with_plugins(figure: FigureModel, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the template folders for a figure, with packages whose contents or icons it uses."""
    kinds = dict.fromkeys(part.type for _, _, part in figure.parts(Content))
    folders = (*folders, *(folder for kind in kinds if (folder := KINDS.template_folder_of(kind))))
    icons = discover_icons(folders)
    return folders if all(name in icons for name, _ in _icon_names(figure)) else (*folders, *plugin_folders())


def icons_of_figure(figure: FigureModel, folders: Sequence[Path] = ()) -> dict[str, Icon]:
    """Return the icons that a figure names. Raise `SpecError` for an unknown name, otherwise as `discover_icons`."""
    icons = discover_icons(folders)
    found: dict[str, Icon] = {}
    for name, path in _icon_names(figure):
        if name not in icons:
            hint = suggest_known_names(name, tuple(icons), "`tikzgen icons` lists all:")
            said = _find_icon_parameter(figure.origin, name) or path
            raise SpecError([Problem(f"unknown icon {quote(name)}", path=said, hint=hint)])
        found[name] = scale_icon(icons[name], figure.style.icons)
    return found


def scale_icon(icon: Icon, factor: float) -> Icon:
    """Scale an icon by a factor."""
    if factor == 1:
        return icon
    x, y = icon.origin
    sizes = {"width": icon.width * factor, "height": icon.height * factor, "origin": (x * factor, y * factor)}
    return replace(icon, **sizes)


def _find_icon_parameter(recipe: Recipe | None, name: str) -> str:
    """Return the parameter of a recipe that names an icon, such as `icons.worker`.

    Return an empty string if several parameters name it, or no parameter does.
    """
    icons = {f"icons.{key}": value for key, value in getattr(recipe, "icons", ())}
    found = [key for key, value in {**icons, "icon": getattr(recipe, "icon", None)}.items() if value == name]
    return found[0] if len(found) == 1 else ""


def parse_header(text: str, file: str) -> Icon:
    """Parse the text of an icon file; `file` gives the icon's name and appears in errors.

    Raise `TikzgenError` for a bad name, header or body.
    """
    name = re.split(r"[/\\]", file)[-1].removesuffix(_SUFFIX)
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        raise _make_icon_error(file, 1, f"{quote(name)} cannot name an icon", "use the letters a-z and hyphens")
    header = _HEADER.match(text)
    if header is None:
        raise _make_icon_error(file, 1, "no header", "begin with the lines <#-, description: …, size: 1.9 x 1.12, -#>")
    _check_body(text, header.end(), file)
    found = _read_header_fields(header["lines"], file)
    last = header[0].count("\n") + 1
    for field in ("description", "size"):
        if field not in found:
            raise _make_icon_error(file, last, f"the header has no {quote(field)}")
    values = {field: (last, default) for field, default in _DEFAULTS.items()} | found
    width, height = _read_pair(values, "size", _SIZE, "1.9 x 1.12", file)
    if not (width and height):
        raise _make_icon_error(file, values["size"][0], "size: an icon cannot be empty")
    origin = _read_pair(values, "origin", _ORIGIN, "0 -0.12", file)
    line, color = values["color"]
    if color not in COLORS:
        raise _make_icon_error(file, line, f"color: no palette name {quote(color)}", suggest_known_names(color, COLORS))
    return Icon(name, values["description"][1], width, height, origin, color)


class _Icons(Mapping[str, Icon]):
    """Icons by name; each header is read at first access."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths
        self._read: dict[str, Icon] = {}

    def __getitem__(self, name: str) -> Icon:
        if name not in self._read:
            path = self._paths[name]
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                raise FileRefused(f"{path}: cannot be read as UTF-8 text") from None
            self._read[name] = parse_header(text, str(path))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _icon_names(figure: FigureModel) -> Iterator[tuple[str, str]]:
    """Yield the names of the icons, each with its location in the figure."""
    for p, panel in enumerate(figure.panels):
        for c, content in enumerate(panel.content):
            for n, node in enumerate(getattr(content, "nodes", ())):
                if name := getattr(node, "icon", None):
                    yield name, f"panels[{p}].content[{c}].nodes[{n}].icon"


def _read_header_fields(lines: str, file: str) -> dict[str, tuple[int, str]]:
    """Return the fields of the header, each with its line number and value."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines.splitlines(), start=2):
        field, _, value = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        if not value:
            raise _make_icon_error(file, number, f'expected "field: value", not {quote(line.strip())}')
        if field not in _FIELDS:
            raise _make_icon_error(file, number, f"unknown field {quote(field)}", suggest_known_names(field, _FIELDS))
        if field in found:
            raise _make_icon_error(file, number, f"{field}: duplicate, first on line {found[field][0]}")
        found[field] = number, value
    return found


def _read_pair(
    values: Mapping[str, tuple[int, str]], field: str, pattern: re.Pattern[str], example: str, file: str
) -> tuple[float, float]:
    line, value = values[field]
    if not pattern.fullmatch(value):
        raise _make_icon_error(
            file, line, f"{field}: expected two lengths in cm such as {quote(example)}, not {quote(value)}"
        )
    first, second = re.split(r"[ x]+", value)
    return float(first), float(second)


def _check_body(text: str, start: int, file: str) -> None:
    """Raise an error for `#` in the body: LaTeX would stop inside a macro without naming the icon."""
    body = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text[start:])
    before, mark, _ = body.partition("#")
    if mark:
        line = text.count("\n", 0, start) + before.count("\n") + 1
        raise _make_icon_error(file, line, "# is not allowed in an icon", "it becomes part of a macro")


def _make_icon_error(file: str, line: int, message: str, hint: str = "") -> TikzgenError:
    return TikzgenError(f"{Place(file, line)}: {message}", hint=hint)
