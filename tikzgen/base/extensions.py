"""Extension points: one `Table` per kind, with built-in entries and entries of installed packages.

A built-in entry is an address `module:attribute`, which is imported when the entry is first needed. All other names
are looked up among the entry points of the group `tikzgen.<table>`. A figure that uses only built-in names never reads
the entry points of the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from tikzgen.base.errors import TikzgenError, quote, shorten_for_message
from tikzgen.base.suggest import suggest_known_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Table(Generic[T]):
    """Entries of one extension point by name.

    Every entry must have the attributes `needed`. `problem_of(name, entry)` returns other problems of a third-party
    entry. A class is instantiated, unless the entries are `classes`.
    """

    has_loaded_packages: ClassVar = False
    """Whether any table loaded an entry of a package in this process."""

    def __init__(
        self,
        name: str,
        built_in: Mapping[str, str],
        *,
        needed: Sequence[str] = (),
        classes: bool = False,
        problem_of: Callable[[str, Any], str] | None = None,
    ) -> None:
        self.name = name
        self.group = f"tikzgen.{name}"
        self.built_in = built_in
        self.needed = needed
        self._classes = classes
        self._problem_of = problem_of
        self._loaded: dict[str, T] = {}
        self._third_party: Mapping[str, EntryPoint] | None = None

    def list_entry_names(self) -> tuple[str, ...]:
        """Return all names: built-in names in their order, then names of packages in alphabetical order."""
        return (*self.built_in, *self._find_third_party())

    def map_entry_packages(self) -> dict[str, str]:
        """Return the package of each third-party entry by name."""
        return {name: _package_of(point) for name, point in self._find_third_party().items()}

    def package_of(self, name: str) -> str:
        """Return the package that provides an entry; empty for a built-in entry."""
        return "" if name in self.built_in else _package_of(self._find_third_party()[name])

    def release_of(self, name: str) -> str:
        """Return the package of an entry and its version, a part of cache keys; empty for a built-in entry."""
        if name in self.built_in or (package := self._find_third_party()[name].dist) is None:
            return ""
        return f"{package.name} {package.version}"

    def template_folder_of(self, name: str) -> Path | None:
        """Return the folder `templates` next to the module of a third-party entry; None for a built-in entry."""
        if name in self.built_in:
            return None
        module = import_module(self._find_third_party()[name].module)
        return Path(module.__file__ or "").parent / "templates"

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._find_third_party()

    def __iter__(self) -> Iterator[str]:
        return iter(self.list_entry_names())

    def __getitem__(self, name: str) -> T:
        """Load an entry. Raise `KeyError` for an unknown name, `TikzgenError` for an incomplete third-party entry."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def suggest_entry(self, name: object) -> str:
        """Return the hint for an unknown name: a similar name, or all names."""
        return suggest_known_names(name, self.list_entry_names(), f"the {self.name} are")

    def _load(self, name: str) -> T:
        if name in self.built_in:
            made: T = (load_address if self._classes else load_instance)(self.built_in[name])
            return made
        point = self._find_third_party()[name]
        try:
            found = point.load()
            found = found if self._classes or not isinstance(found, type) else found()
        except Exception as error:  # code of a third party may raise anything
            message = f"cannot load {point.value}: {type(error).__name__}: {shorten_for_message(error)}"
            raise self._refuse(point, message, "update or uninstall the package") from error
        if missing := [each for each in self.needed if is_attribute_missing(found, each)]:
            raise self._refuse(point, f"lacks {', '.join(missing)}", f"define {missing[0]} in {point.value}")
        if self._problem_of and (problem := self._problem_of(name, found)):
            raise self._refuse(point, problem, f"change {point.value}")
        Table.has_loaded_packages = True
        third_party: T = found
        return third_party

    def _find_third_party(self) -> Mapping[str, EntryPoint]:
        if self._third_party is None:
            from importlib.metadata import entry_points  # slow, and only for names that are not built in

            found: dict[str, EntryPoint] = {}
            for point in sorted(entry_points(group=self.group), key=lambda point: (point.name, _package_of(point))):
                if point.name in self.built_in:
                    raise self._refuse(point, "conflicts with a built-in entry", "rename the entry point")
                if other := found.get(point.name):
                    if other.value == point.value and _package_of(other) == _package_of(point):
                        continue  # the same package is found twice on the path
                    raise self._refuse(
                        point, f'conflicts with package "{_package_of(other)}"', "uninstall one of the packages"
                    )
                found[point.name] = point
            self._third_party = found
        return self._third_party

    def _refuse(self, point: EntryPoint, problem: str, fix: str) -> TikzgenError:
        entry = f"entry {quote(point.name)} of {self.group}"
        return TikzgenError(f"package {quote(_package_of(point))}: {entry} {problem}", hint=fix)


def load_address(address: str) -> Any:
    """Import a module and return its attribute: `module:attribute`. Raise `TikzgenError` if either is missing."""
    module, _, attribute = address.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (AttributeError, ModuleNotFoundError) as error:
        message = f"cannot load {address}: {shorten_for_message(error)}"
        raise TikzgenError(message, hint="correct the address in the package that states it") from error


def load_instance(address: str) -> Any:
    """Load an address and instantiate it if it is a class."""
    found = load_address(address)
    return found() if isinstance(found, type) else found


def _package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def is_attribute_missing(entry: Any, attribute: str) -> bool:
    """Return whether an attribute is missing, or only declared in a base class."""
    found = getattr(entry, attribute, None)
    return found is None or bool(getattr(found, "__isabstractmethod__", False))
