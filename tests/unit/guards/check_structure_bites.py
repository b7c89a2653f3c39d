#!/usr/bin/python3
"""check_structure_bites.py STRUCTURE: the check of the structure, run on small trees, must accept what is at a limit,
and name what is one above it.

Each case makes the files of one class, machine, file or group of files: `extra` is 0 (at the limit) or 1 (above it).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEADERS = "array bitset memory optional variant vector".split()
KINDS = """namespace zklock::recipes {
enum class contender_kind { mutex, read, write };
enum class layout { native, curator };
}
"""


def functions(count, name="f"):
    return "".join(f"void {name}{i}(); " for i in range(count))


def members(count, name="m"):
    return "".join(f"int {name}{i}_; " for i in range(count))


def booleans(count, name="b"):
    return "".join(f"bool {name}{i}_; " for i in range(count))


def machine(content):
    return "{ public: enum class state { a, b, c }; private: state state_; " + content + " };\n"


CASES = {}  # name of the case, which is in the names of its files -> (what is reported, without its value, a function)


def case(what, reported):
    def note(make):
        CASES[make.__name__] = (what, reported, make)
        return make
    return note


@case("functions", "own_functions")
def own_functions(extra):
    yield "src/own_functions.hpp", """struct own_functions {
      own_functions(int); ~own_functions(); int operator()() const; static void s(); void t(); void t(int);
      template <class T> void u(T); friend void befriended(own_functions&); explicit operator bool() const;
      own_functions() = default; own_functions(const own_functions&) = delete; own_functions(own_functions&&) = default;
      friend bool operator==(const own_functions&, const own_functions&) = default;
    """ + functions(21 + extra) + "};\n"


@case("functions", "functions_of_a_base")
def functions_of_a_base(extra):
    yield "include/zklock/base_of_functions.hpp", (
        "namespace kept { struct value {}; using alias = value;\n"
        "struct base_of_functions { virtual void v(alias) = 0; virtual void w() = 0; " + functions(8) + "}; }\n")
    yield "src/functions_of_a_base.hpp", (
        '#include "include/zklock/base_of_functions.hpp"\n'
        "struct functions_of_a_base : kept::base_of_functions { void v(kept::value) override; void w() final; "
        + functions(20 + extra, "g") + "};\n")


@case("functions", "functions_of_a_friend")
def functions_of_a_friend(extra):
    yield "recipes/functions_of_a_friend.hpp", (
        "class functions_of_a_friend { friend class friend_of_functions; " + functions(15) + "};\n"
        "class friend_of_functions { " + functions(15 + extra, "g") + "};\n")


@case("functions", "functions_of_nested_types")
def functions_of_nested_types(extra):
    yield "src/functions_of_nested_types.hpp", (
        "class functions_of_nested_types { struct declared; struct inner { struct innermost {" + functions(10) + "}; "
        + functions(4) + "};" + functions(10) + "};\n")
    yield "src/functions_of_nested_types.cpp", (
        '#include "src/functions_of_nested_types.hpp"\n'
        "struct functions_of_nested_types::declared { " + functions(5) + "};\n"
        "void functions_of_nested_types::f0() { struct local { " + functions(1 + extra) + "}; }\n")


@case("functions", "functions_of_a_part")
def functions_of_a_part(extra):
    """The part is in a file of its own, and what else names it is used by the class alone."""
    yield "src/part_of_functions.hpp", "struct part_of_functions { " + functions(15) + "};\n"
    yield "src/functions_of_a_part.hpp", (
        '#include <memory>\n#include "src/part_of_functions.hpp"\n'
        "using many_parts = std::unique_ptr<part_of_functions>;\n"
        "class functions_of_a_part { many_parts parts_; " + functions(15 + extra) + "};\n")
    yield "src/functions_of_a_part.cpp", (
        '#include "src/functions_of_a_part.hpp"\n'
        "static void help(part_of_functions& one) { one.f1(); }\n"
        "void functions_of_a_part::f0() { help(*parts_); }\n")
    yield "tests/unit/functions_of_a_part_test.cpp", (
        '#include "src/part_of_functions.hpp"\n#include "src/functions_of_a_part.hpp"\n// part_of_functions\n')


@case("functions", "functions_beside_others")
def functions_beside_others(extra):
    """Neither a part that another one uses as well counts, nor one that is tested by itself, nor a part's part."""
    yield "src/shared_part.hpp", "struct shared_part { " + functions(9) + "};\n"
    yield "src/tested_part.hpp", "struct tested_part { " + functions(9) + "};\n"
    yield "src/part_with_part.hpp", (
        "struct innermost_part { " + functions(9) + "};\nstruct part_with_part { innermost_part inner; void f(); };\n")
    yield "src/functions_beside_others.hpp", (
        '#include "src/part_with_part.hpp"\n#include "src/shared_part.hpp"\n#include "src/tested_part.hpp"\n'
        "class functions_beside_others { shared_part a_; tested_part b_; part_with_part c_; "
        + functions(29 + extra) + "};\n")
    yield "src/another.cpp", '#include "src/shared_part.hpp"\nvoid another(shared_part& one) { one.f0(); }\n'
    yield "tests/unit/tested_part_test.cpp", '#include "src/tested_part.hpp"\ntested_part one;\n'


@case("members", "own_members in src/own_members.cpp")
def own_members(extra):
    yield "src/own_members.cpp", (
        "namespace { class own_members { static int a; static const int b = 1; static constexpr int c[] = {1}; "
        + members(14 + extra) + "}; }\n")


@case("members", "members_of_all")
def members_of_all(extra):
    yield "recipes/members_of_all.hpp", (
        "#include <vector>\n"
        "struct base_of_members { int one; };\nstruct part_of_members { int two, three; };\n"
        "class members_of_all : base_of_members { struct nested { int four; }; union { int five; char six; }; "
        "std::vector<part_of_members> seven_; friend struct friend_of_members; " + members(7 + extra) + "};\n"
        "struct friend_of_members { int last; };\n")


@case("booleans", "of_bools")
def of_bools(extra):
    yield "src/of_bools.hpp", "class of_bools " + machine(booleans(6 + extra))


@case("booleans", "of_optionals")
def of_optionals(extra):
    yield "src/of_optionals.hpp", (
        "#include <optional>\nclass of_optionals "
        + machine("std::optional<int> a_; std::optional<bool> b_;" + booleans(3 + extra)))


@case("booleans", "of_enums")
def of_enums(extra):
    yield "src/of_enums.hpp", (
        "class of_enums { enum class phase { a, b }; enum class side { a, b }; enum class kind { a, b, c }; "
        "phase phase_; side side_; kind kind_; " + booleans(4 + extra) + "};\n")


@case("booleans", "of_bits")
def of_bits(extra):
    yield "src/of_bits.hpp", (
        "#include <bitset>\nclass of_bits "
        + machine("std::bitset<2> set_; unsigned two_ : 2; bool one_ : 1; unsigned number_;" + booleans(1 + extra)))


@case("booleans", "of_flags")
def of_flags(extra):
    yield "src/of_flags.hpp", "enum class handle_step { a, b, c };\nclass of_flags { handle_step next_step_; " + (
        "unsigned char watch_flags_; };\n" if extra else "unsigned char other_; " + booleans(6) + "};\n")


@case("booleans", "of_parts")
def of_parts(extra):
    yield "src/of_parts.hpp", (
        "#include <array>\n#include <memory>\n#include <variant>\n#include <vector>\n"
        "struct base_of_machine { bool one; };\nstruct with_two { bool one, two; };\nstruct with_one { bool one; };\n"
        "struct with_none { int one; };\n"
        "class of_parts : base_of_machine " + machine(
            "with_one value_; std::unique_ptr<with_one> owned_; with_two* elsewhere_; std::vector<with_two> many_; "
            "std::array<with_one, 2> twice_; std::variant<with_none, int, long> three_; " + booleans(1 + extra)))


@case("booleans", "of_variants")
def of_variants(extra):
    yield "src/of_variants.hpp", (
        "#include <variant>\nstruct one_bool { bool one; };\nstruct three_bools { bool one, two, three; };\n"
        "class of_variants { std::variant<int, char> two_; std::variant<one_bool, three_bools, int> most_; "
        "public: void resume(); private: " + booleans(2 + extra) + "};\n")


@case("booleans", "of_recipes")
def of_recipes(extra):
    yield "recipes/of_recipes.hpp", (
        "class of_recipes { public: void changes(); private: " + booleans(6 + extra) + "};\n"
        "class value_of_recipes { public: void looks() const; private: " + booleans(15) + "};\n"
        "class no_machine { public: void changes(); };\n")


@case("lines", "include/zklock/long.hpp")
def long_file(extra):
    yield "include/zklock/long.hpp", "//\n" * (350 + extra)


@case("kind", "src/")
def kind(extra):
    yield "recipes/kind.hpp", KINDS + """namespace zklock::recipes {
    struct acquire_spec { contender_kind kind{}; };
    inline bool is_mutex(const acquire_spec& one) { return one.kind == contender_kind::mutex; }
    inline bool is_other(const acquire_spec& one) { return !is_mutex(one); }
    inline bool change(acquire_spec& one) { if (one.kind == contender_kind::mutex) { one = {}; } return is_mutex(one); }
    inline int policy_of(contender_kind) { return 1; }
    }
    """
    ways = {"predicate": "bool asks(const acquire_spec& one) { return is_other(one); }",
            "function": "int asks(const acquire_spec& one) { return policy_of(one.kind); }",
            "comparison": "void asks(const acquire_spec& one, const acquire_spec& other) { if (one.kind == other.kind) {} }",
            "enumerator": "acquire_spec mutex() { return {contender_kind::mutex}; }"}
    for name, text in list(ways.items())[:3 + extra]:
        yield f"src/kind_{name}.cpp", '#include "recipes/kind.hpp"\nusing namespace zklock::recipes;\n' + text + "\n"
    yield "src/kind_passed_on.cpp", ('#include "recipes/kind.hpp"\nusing namespace zklock::recipes;\n'
                                     "acquire_spec pass(const acquire_spec& one) { acquire_spec two{contender_kind(one.kind)}; two = one; return two; }\n"
                                     "bool begin(acquire_spec& one) { return change(one); }\n")


TABLE_AND_SWITCH = {
    "recipes/kind.hpp": KINDS,
    "src/kind_switch.cpp": '#include "recipes/kind.hpp"\n'
                           "int f(zklock::recipes::layout as) { switch (as) { default: return 1; } }\n",
    "src/kind_table.cpp": '#include "recipes/kind.hpp"\nconst int table[] = {1, 2};\n'
                          "int g(zklock::recipes::layout as) { return table[static_cast<int>(as)]; }\n",
    "src/kind_declared.hpp": '#include "recipes/kind.hpp"\nint g(zklock::recipes::layout as);\n'}


class Failure(Exception):
    pass


def run(structure, files):
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(("#pragma once\n" if name.endswith(".hpp") and "long" not in name else "") + text)
        sources = [one for one in files if one.endswith(".cpp") and one.startswith("src/") and "no_target" not in one]
        (root / "build").mkdir()
        (root / "build/compile_commands.json").write_text(json.dumps(
            [{"directory": str(root), "file": one, "command": f"c++ -std=c++20 -I{root} -c {one}"} for one in sources]))
        ran = subprocess.run([structure, "--root", root, "--all", root / "build"], capture_output=True, text=True,
                             check=False)
        return ran.returncode, ran.stdout + ran.stderr


def expect(output, status, lines):
    """The findings are these, and no others."""
    returned, printed = output
    found = printed.splitlines()
    missing = [line for line in lines if line not in found]
    if returned != status or missing or f" {len(lines)} findings" not in found[-1]:
        missed = [f"not reported: {one}" for one in missing]
        raise Failure("\n".join([f"exit status {returned}, expected {status}", *missed, printed]))


def all_cases(extra):
    return {name: text for _, _, make in CASES.values() for name, text in make(extra)}


def check_limits(structure, limits):
    expect(run(structure, all_cases(0)), 0, [])
    above = run(structure, all_cases(1))
    values = {what: limit + 1 for what, limit in limits.items()}
    expect(above, 1, [f"{name}: {what} {8 if name == 'of_flags' else values[what]}, at most {limits[what]}"
                      for what, name, _ in CASES.values()])
    for way in ("predicate", "function", "comparison", "enumerator"):
        if f"src/kind_{way}.cpp: " not in above[1]:
            raise Failure(f"not in the table: kind_{way}.cpp")
    table = run(structure, TABLE_AND_SWITCH)[1]
    if " 2  src/" not in table or "kind_switch.cpp: " not in table or "kind_table.cpp: " not in table:
        raise Failure(table)


def check_same_names(structure):
    """Files that cannot be read as one text, since both name their own class alike."""
    same = {f"src/{name}/same.cpp": "namespace { class same { " + members(count) + "}; }\n"
            for name, count in (("a", 16), ("b", 15), ("c", 17))}
    expect(run(structure, {"recipes/kind.hpp": KINDS, **same}), 1,
           [f"same in src/{name}/same.cpp: members {count}, at most 15" for name, count in (("a", 16), ("c", 17))])


def check_holes(structure):
    """What cannot be read is a finding, not a hole."""
    expect(run(structure, {"recipes/kind.hpp": KINDS, "src/no_target.cpp": "\n"}), 1,
           ["src/no_target.cpp belongs to no target, so it was not read"])
    expect(run(structure, {"recipes/kind.hpp": KINDS.replace("layout", "format")}), 1,
           ["zklock::recipes::layout is no enum here: say in scripts/structure what tells a lock's kind now"])
    broken = run(structure, {"recipes/kind.hpp": KINDS, "src/broken.cpp": "int f() { return unknown; }\n"})
    if broken[0] != 1 or "broken.cpp" not in broken[1] or "undeclared identifier 'unknown'" not in broken[1]:
        raise Failure(broken[1])


def main():
    structure = sys.argv[1]
    limits = {"functions": 30, "members": 15, "booleans": 6, "lines": 350, "kind": 3}
    try:
        check_limits(structure, limits)
        check_same_names(structure)
        check_holes(structure)
    except Failure as failure:
        print(failure)
        return 1
    print(f"{len(CASES)} limits, each accepted at its value and reported above it")
    return 0


sys.exit(main())
