"""Reads one translation unit with libclang: which classes, enums and functions there are, and what names what."""
import collections
import pathlib
import re

from clang import cindex
from clang.cindex import CursorKind as Cursor, TypeKind

DIRECTORIES = ("recipes", "src", "include")
CLASSES = {Cursor.CLASS_DECL, Cursor.STRUCT_DECL, Cursor.UNION_DECL, Cursor.CLASS_TEMPLATE,
           Cursor.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
FUNCTIONS = {Cursor.FUNCTION_DECL, Cursor.FUNCTION_TEMPLATE, Cursor.CXX_METHOD, Cursor.CONSTRUCTOR, Cursor.DESTRUCTOR,
             Cursor.CONVERSION_FUNCTION}
SCOPES = {Cursor.NAMESPACE, Cursor.TRANSLATION_UNIT, Cursor.LINKAGE_SPEC}
REFERENCES = {Cursor.TYPE_REF, Cursor.TEMPLATE_REF, Cursor.DECL_REF_EXPR, Cursor.MEMBER_REF_EXPR, Cursor.CALL_EXPR,
              Cursor.MEMBER_REF}
CASTS = {Cursor.CXX_STATIC_CAST_EXPR, Cursor.CSTYLE_CAST_EXPR, Cursor.CXX_FUNCTIONAL_CAST_EXPR}
DEPTH_MAX = 8  # of template arguments within template arguments


class Reading:
    """What was read. Keys are clang's USRs, with the file where the name is known in one file only."""

    def __init__(self):
        self.classes = {}                             # key -> dict: see Reader.note_class
        self.enums = {}                               # key -> dict(name, size)
        self.functions = {}                           # key -> dict(names_kinds, is_question, one_return, asks, calls)
        self.users = collections.defaultdict(set)     # key of a class or function -> keys of what names it
        self.asking = collections.defaultdict(set)    # file -> the kinds that it names, compares or switches on
        self.calls_in = collections.defaultdict(set)  # file -> keys of the functions that it names
        self.errors = []
        self.uses = collections.defaultdict(set)      # the other way round than users
        self.nested = collections.defaultdict(list)   # key of a class or function -> the classes in it

    def link(self):
        for key, one in self.classes.items():
            if one["within"]:
                self.nested[one["within"]].append(key)
        for key, users in self.users.items():
            for user in users:
                self.uses[user].add(key)

    def add(self, other):
        self.classes.update(other.classes)
        self.enums.update(other.enums)
        for key, one in other.functions.items():
            known = self.functions.setdefault(key, one)
            for name in ("one_return", "asks", "calls"):
                known[name] = known[name] or one[name]
        for mine, theirs in ((self.users, other.users), (self.asking, other.asking), (self.calls_in, other.calls_in)):
            for key, some in theirs.items():
                mine[key] |= some
        self.errors += other.errors


class Reader:
    """Walks one translation unit."""

    def __init__(self, root, kinds):
        self.root, self.kinds, self.read = root, kinds, Reading()
        self.files, self.targets = {}, {}

    def file_of(self, cursor):
        """Relative to the root, or None: not one of ours."""
        name = cursor.location.file and cursor.location.file.name
        if name not in self.files:
            path = pathlib.Path(name).resolve() if name else None
            ours = path and any(path.is_relative_to(self.root / one) for one in DIRECTORIES)
            self.files[name] = str(path.relative_to(self.root)) if ours else None
        return self.files[name]

    def key(self, cursor):
        usr = cursor.get_usr()
        in_one_file = not usr.startswith("c:@")  # it begins with the file's name, without its directory
        return f"{usr}|{self.file_of(cursor)}" if in_one_file else usr

    def walk(self, unit, errors):
        for one in unit.cursor.get_children():
            if self.file_of(one):
                self.visit(one, None, None, None)
        self.read.errors = errors
        return self.read

    def visit(self, cursor, owner, function, place):
        """owner: the innermost class, or what stands in a namespace. function: whose body this is. place: its file."""
        kind = cursor.kind
        if kind in CLASSES:
            if cursor.is_definition():
                owner = self.note_class(cursor, owner)
                place = place or self.file_of(cursor)
            elif owner is None:
                return
        elif kind == Cursor.ENUM_DECL and cursor.is_definition():
            names = [one for one in cursor.get_children() if one.kind == Cursor.ENUM_CONSTANT_DECL]
            self.read.enums[self.key(cursor)] = {"name": name_of(cursor), "size": len(names)}
        elif kind in FUNCTIONS:
            place = place or self.file_of(cursor)
            if function is None:
                function = self.key(cursor)
                self.note_function(cursor, function)
            scope = cursor.semantic_parent
            owner = self.key(scope) if scope.kind in CLASSES else owner or function
        elif owner is None and kind not in SCOPES and kind.is_declaration():
            owner, place = self.key(cursor), self.file_of(cursor)
        if owner is not None:
            if kind in REFERENCES:
                self.note_reference(cursor, owner, function, place)
            elif kind in CASTS or kind in (Cursor.SWITCH_STMT, Cursor.BINARY_OPERATOR):
                self.note_question(cursor, kind, function, place)
        for one in cursor.get_children():
            self.visit(one, owner, function, place)

    def note_class(self, cursor, owner):
        key = self.key(cursor)
        scope = cursor.semantic_parent
        within = self.key(scope) if scope.kind in CLASSES else owner
        one = {"name": name_of(cursor), "file": self.file_of(cursor), "line": cursor.location.line, "within": within,
               "bases": [], "friends": [], "functions": {}, "fields": [], "enums": []}
        self.read.classes[key] = one
        for member in cursor.get_children():
            if member.kind == Cursor.CXX_BASE_SPECIFIER:
                one["bases"].append(self.key(declared(member.type)))
            elif member.kind == Cursor.FRIEND_DECL:
                self.note_friend(member, one)
            elif member.kind in FUNCTIONS:
                self.note_member_function(member, one)
            elif member.kind == Cursor.FIELD_DECL:
                bits = member.get_bitfield_width() if member.is_bitfield() else None
                one["fields"].append((member.spelling, ("bits", bits) if bits else self.shape(member.type)))
            elif member.kind == Cursor.VAR_DECL and not is_constant(member):
                one["fields"].append((member.spelling, self.shape(member.type)))
            elif member.kind == Cursor.ENUM_DECL:
                one["enums"].append(member.spelling)
        return key

    def note_friend(self, friend, one):
        for named in friend.get_children():
            if named.kind in (Cursor.TYPE_REF, Cursor.TEMPLATE_REF):
                one["friends"].append(self.key(named.referenced))
            elif named.kind in CLASSES:
                one["friends"].append(self.key(named))
            elif named.kind in FUNCTIONS:
                self.note_member_function(named, one)

    def note_member_function(self, function, one):
        deleted = function.availability == cindex.AvailabilityKind.NOT_AVAILABLE
        if not deleted and not is_defaulted(function):
            overrides = any(one.kind in (Cursor.CXX_OVERRIDE_ATTR, Cursor.CXX_FINAL_ATTR)
                            for one in function.get_children())
            changes = (function.kind == Cursor.CXX_METHOD and not function.is_const_method()
                       and not function.is_static_method())
            signature = f"{function.spelling}({function.type.get_canonical().spelling})"  # however its types are spelled
            one["functions"][self.key(function)] = (signature, overrides, changes)

    def note_function(self, cursor, key):
        types = [cursor.result_type, *(one.type for one in cursor.get_arguments() if one)]
        if cursor.kind == Cursor.FUNCTION_TEMPLATE:
            types += [one.type for one in cursor.get_children() if one.kind == Cursor.PARM_DECL]
        changes = cursor.kind == Cursor.CXX_METHOD and not (cursor.is_const_method() or cursor.is_static_method())
        self.read.functions.setdefault(key, {
            "name": name_of(cursor), "names_kinds": any(self.names_kind(self.shape(one)) for one in types),
            "is_question": cursor.result_type.get_canonical().kind == TypeKind.BOOL
                           and not changes and not any(map(can_be_changed, types[1:])),
            "one_return": False, "asks": False, "calls": set()})
        for body in cursor.get_children():
            if body.kind == Cursor.COMPOUND_STMT:
                statements = list(body.get_children())
                self.read.functions[key]["one_return"] = (
                    len(statements) == 1 and statements[0].kind == Cursor.RETURN_STMT)

    def note_reference(self, cursor, owner, function, place):
        named = cursor.referenced
        if named is None:
            return
        for target in self.targets_of(named):
            self.read.users[target].add(owner)
        if named.kind in FUNCTIONS and self.file_of(named):
            self.note_call(self.key(named), function, place)
        elif named.kind == Cursor.ENUM_CONSTANT_DECL and name_of(named.semantic_parent) in self.kinds:
            self.note_asking(name_of(named.semantic_parent), function, place)

    def note_call(self, key, function, place):
        self.read.calls_in[place].add(key)
        if function in self.read.functions:
            self.read.functions[function]["calls"].add(key)

    def targets_of(self, named):
        """The classes that it is, or is a member of, and what of it stands in a namespace."""
        known_as = named.hash, named.spelling
        if known_as not in self.targets:
            found, one = [], named
            while one is not None and one.kind not in SCOPES:
                parent = one.semantic_parent
                if self.file_of(one) and (one.kind in CLASSES or parent is None or parent.kind in SCOPES):
                    found.append(self.key(primary(one)))
                one = parent
            self.targets[known_as] = found
        return self.targets[known_as]

    def note_question(self, cursor, kind, function, place):
        """A comparison, a switch, or a cast away from the type: a table's index."""
        if kind == Cursor.BINARY_OPERATOR and cursor.type.kind != TypeKind.BOOL:
            return
        children = list(cursor.get_children())
        for operand in children[:1] if kind == Cursor.SWITCH_STMT else children:
            while operand.kind.is_expression():
                name = self.kind_named(operand.type)
                if name:
                    if name != self.kind_named(cursor.type):
                        self.note_asking(name, function, place)
                    break
                inner = list(operand.get_children())
                if operand.kind not in (Cursor.UNEXPOSED_EXPR, Cursor.PAREN_EXPR) or len(inner) != 1:
                    break
                operand = inner[0]

    def kind_named(self, of):
        one = declared(of)
        return name_of(one) if one.kind == Cursor.ENUM_DECL and one.spelling and name_of(one) in self.kinds else None

    def note_asking(self, name, function, place):
        self.read.asking[place].add(name)
        if function in self.read.functions:
            self.read.functions[function]["asks"] = True

    def names_kind(self, shape):
        return len(shape) > 3 and (shape[0] == "enum" and shape[2] in self.kinds or any(map(self.names_kind, shape[3])))

    def shape(self, of, depth=0):
        """("bool",), ("integer", bits), ("other",); with what they are made of: ("enum", key, name, ()),
        ("array", n, "", of), ("pointer", 0, "", to), ("class", key, name, template arguments, the last if a number)."""
        of = of.get_canonical()
        if of.kind == TypeKind.BOOL:
            return ("bool",)
        if of.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
            return ("pointer", 0, "", (self.shape(of.get_pointee(), depth + 1),)) if depth < DEPTH_MAX else ("other",)
        if of.kind == TypeKind.CONSTANTARRAY:
            return ("array", of.element_count, "", (self.shape(of.element_type, depth + 1),))
        if of.kind == TypeKind.ENUM:
            one = of.get_declaration()
            return ("enum", self.key(one), name_of(one), ())
        if of.kind == TypeKind.RECORD or of.kind == TypeKind.UNEXPOSED:
            one = of.get_declaration()
            if not one.spelling and of.kind == TypeKind.UNEXPOSED:
                return ("other",)
            arguments = [of.get_template_argument_type(i) for i in range(max(0, of.get_num_template_arguments()))]
            types = [one for one in arguments if one.kind != TypeKind.INVALID]
            inner = tuple(self.shape(one, depth + 1) for one in types) if depth < DEPTH_MAX else ()
            number = re.search(r"(\d+)[UL]*>$", of.spelling)
            return ("class", self.key(primary(one)), name_of(one), inner, int(number[1]) if number else None)
        return ("integer", of.get_size() * 8) if 0 < of.get_size() <= 8 else ("other",)


def declared(of):
    return primary(of.get_canonical().get_declaration())


def primary(cursor):
    """Of a template's specialisation: the template that it was made from."""
    if cursor.kind not in CLASSES and cursor.kind not in FUNCTIONS:
        return cursor
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
    return template if template is not None and template.kind in CLASSES | FUNCTIONS else cursor


def name_of(cursor):
    """Qualified; no name for unnamed namespaces."""
    parts = []
    while cursor is not None and cursor.kind != Cursor.TRANSLATION_UNIT:
        if cursor.spelling and cursor.kind not in FUNCTIONS or not parts:
            parts.append(cursor.spelling or "(unnamed)")
        cursor = cursor.semantic_parent
    return "::".join(reversed(parts))


def can_be_changed(of):
    """What it refers to."""
    return of.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE) and not of.get_pointee().is_const_qualified()


def is_constant(variable):
    of = variable.type
    while of.kind == TypeKind.CONSTANTARRAY:
        of = of.element_type
    return of.is_const_qualified()


def is_defaulted(function):
    if function.kind == Cursor.FUNCTION_DECL:  # a friend
        return [one.spelling for one in function.get_tokens()][-2:] == ["=", "default"]
    return function.is_default_method()
