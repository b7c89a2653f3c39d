"""Counts what structure_ast has read: what belongs to a class, its booleans, and which files ask for a lock's kind."""
import re

MACHINE_FUNCTIONS = {"resume", "decide", "fired", "reply", "watch_fired", "session_over"}
MACHINE_STATE = re.compile(r"(^|_)(state|phase|stage|step)$")
VALUES = {"std::array", "std::atomic", "std::pair", "std::tuple", "std::unique_ptr"}  # each holds its arguments
SET_OF_BITS = re.compile(r"(^|_)(bits|flags|mask)_?$")


def belonging_to(head, read, tests):
    """The classes that count with `head`: bases, friends, nested ones, and those that were made for it alone.

    A class was made for it alone when it is the type of a data member of one of the former (itself, or within another
    type: unique_ptr, optional, vector ...), is named by these classes alone, or by what they alone use in turn, and no
    test uses it without the head.
    """
    family = related({head}, read)
    own = used_by_none_but(family, read)
    made = {key for one in family for _, shape in read.classes[one]["fields"] for key in classes_in(shape)
            if key in own and key in read.classes and read.classes[key]["file"].split("/")[0] != "include"
            and not tests.know(read.classes[key], read.classes[head])}
    return related(family | made, read)


def related(family, read):
    """With bases, friends and nested classes."""
    family, todo = set(family), list(family)
    while todo:
        key = todo.pop()
        one = read.classes[key]
        for other in [*one["bases"], *one["friends"], *read.nested[key]]:
            if other in read.classes and other not in family:
                family.add(other)
                todo.append(other)
    return family


def used_by_none_but(family, read):
    """All classes and functions that are named by the family, and otherwise only by each other."""
    own = reached_from(family, read)
    changed = True
    while changed:
        lost = {key for key in own if not read.users[key] <= own | family | {key}}
        own -= lost
        changed = bool(lost)
    return own


def reached_from(family, read):
    found, todo = set(), list(family)
    while todo:
        for one in read.uses[todo.pop()]:
            if one not in found and one not in family:
                found.add(one)
                todo.append(one)
    return found


class Tests:
    """What the files of tests/ include and name, by their text."""

    def __init__(self, root):
        self.texts, self.includes = {}, {}
        for file in (one for ending in ("*.hpp", "*.cpp") for one in (root / "tests").rglob(ending)):
            name = str(file.relative_to(root))
            text = file.read_text(encoding="utf-8")
            self.includes[name] = set(re.findall(r'^#include "([^"]+)"', text, re.M))
            self.texts[name] = set(re.findall(r"\w+", text))

    def reached(self, name):
        """The headers that it includes, itself or by headers of tests."""
        found, todo = set(), [name]
        while todo:
            more = self.includes.get(todo.pop(), set()) - found
            found |= more
            todo += more
        return found

    def know(self, one, head):
        """There is a test that uses the class, and not the head."""
        word = one["name"].rpartition("::")[2]
        return any(one["file"] in includes and word in self.texts[name] and head["file"] not in self.reached(name)
                   for name, includes in self.includes.items())


def classes_in(shape):
    if shape[0] == "class":
        yield shape[1]
    for inner in shape[3] if len(shape) > 3 else ():
        yield from classes_in(inner)


def functions_of(family, read):
    """Declared, and not defaulted or deleted; one that overrides another of the family's is the same function."""
    functions = [one for key in family for one in read.classes[key]["functions"].values()]
    introduced = {name for name, overrides, _ in functions if not overrides}
    return sum(1 for name, overrides, _ in functions if not overrides or name not in introduced)


def fields_of(family, read):
    return sum(len(read.classes[key]["fields"]) for key in family)


def is_machine(key, read):
    """In recipes/: what has data members and changes them. In src/: what has an enum as its state, or takes events."""
    ours = bases_of(key, read)
    functions = [one for some in ours for one in some["functions"].values()]
    if not any(one["fields"] for one in ours):
        return False
    if read.classes[key]["file"].startswith("recipes/"):
        return any(changes for _, _, changes in functions)
    for one in ours:
        if any(MACHINE_STATE.search(name) for name in one["enums"]):
            return True
        if any(MACHINE_STATE.search(name.rstrip("_")) and shape[0] == "enum" for name, shape in one["fields"]):
            return True
    return any(name.partition("(")[0] in MACHINE_FUNCTIONS for name, _, _ in functions)


def bases_of(key, read):
    """The class and its bases."""
    found, todo = {}, [key]
    while todo:
        key = todo.pop()
        if key in read.classes and key not in found:
            found[key] = read.classes[key]
            todo += found[key]["bases"]
    return list(found.values())


def booleans_of(key, read, tests, within=()):
    """A member that is a state machine, and is tested without the head, has a row of its own."""
    if key in within or (within and is_machine(key, read) and tests.know(read.classes[key], read.classes[within[0]])):
        return 0
    fields = [field for one in bases_of(key, read) for field in one["fields"]]
    return sum(booleans_in(shape, name, read, tests, (*within, key)) for name, shape in fields)


def booleans_in(shape, name, read, tests, within):
    kind = shape[0]
    if kind == "bool":
        return 1
    if kind == "bits":
        return shape[1]
    if kind == "integer":
        return shape[1] if SET_OF_BITS.search(name) else 0
    if kind == "enum":
        return 1 if shape[1] in read.enums and read.enums[shape[1]]["size"] == 2 else 0
    if kind == "array":
        return shape[1] * booleans_in(shape[3][0], name, read, tests, within)
    if kind != "class":
        return 0
    inner = [booleans_in(one, name, read, tests, within) for one in shape[3]]
    template, number = shape[2], shape[4]
    if template == "std::optional":
        return 1 + sum(inner)
    if template == "std::bitset":
        return number or 0
    if template == "std::vector":
        return 1 if shape[3] and shape[3][0][0] == "bool" else 0
    if template == "std::variant":
        return max(inner, default=0) + (len(inner) == 2)
    if template == "std::atomic_flag":
        return 1
    if template in VALUES:
        return sum(inner) * (number if template == "std::array" and number is not None else 1)
    return booleans_of(shape[1], read, tests, within) if shape[1] in read.classes else 0


def files_that_ask(read, directory):
    """Files of the directory that ask for a lock's kind -> how: the kinds asked for, and the functions that tell it."""
    telling = predicates(read)
    asked = {}
    for file in sorted(set(read.asking) | set(read.calls_in)):
        if file and file.split("/")[0] == directory:
            through = {read.functions[key]["name"] for key in read.calls_in[file] & telling}
            if read.asking[file] or through:
                asked[file] = sorted(read.asking[file]) + sorted(f"{name}()" for name in through)
    return asked


def predicates(read):
    """Functions by which a kind is asked for: a kind is among their types, or they answer yes or no and look at one."""
    found = {key for key, one in read.functions.items() if one["names_kinds"] or one["is_question"] and one["asks"]}
    while True:
        more = {key for key, one in read.functions.items()
                if key not in found and one["is_question"] and one["one_return"] and one["calls"] & found}
        if not more:
            return found
        found |= more
