"""No two types share a name, no folders include each other in a cycle, and the check can fail."""

import check_types
from check_types import find_cycles, find_namesakes, read_arrows, read_types


def names(text: str, path: str = "partita/A/X.h") -> list[str]:
    return [definition.name for definition in read_types(path, text)]


def namesakes(**sources: str) -> int:
    """How many names several types have; `A_h` is the file A.h."""
    files = {f"partita/A/{name.replace('_', '.')}": text for name, text in sources.items()}
    return len(find_namesakes([found for path, text in files.items() for found in read_types(path, text)]))


def cycles(**includes: str) -> list[str]:
    """`A__B="C D"`: a source of A/B includes a header of C and one of D."""
    return find_cycles(
        read_arrows(
            {
                f"partita/{folder.replace('__', '/')}/X.cpp": "".join(
                    f'#include "partita/{target}/X.h"\n' for target in targets.split()
                )
                for folder, targets in includes.items()
            }
        )
    )


def test_every_name_is_one_types_and_no_folders_form_a_cycle() -> None:
    assert check_types.check(check_types.ROOT) == []


def test_types_of_every_kind_are_read() -> None:
    assert names("namespace a::b { class A { int x; }; } struct B final : C<D> {};") == ["A", "B"]
    assert names("enum class A : std::uint8_t { x }; enum B { y }; union C { int x; };") == ["A", "B", "C"]
    assert names("template <typename T, int n = (1 > 0)> struct A { T x; }; struct [[nodiscard]] B {};") == ["A", "B"]
    assert names("struct alignas(8) A { int x = 1'000; char c = '}'; }; struct B {};") == ["A", "B"]
    assert [found.line for found in read_types("X.h", "/* 1\n2 */\n#define M \\\n  {\nstruct A {};")] == [5]


def test_what_is_no_type_of_a_namespace_is_not_read() -> None:
    assert names("struct A; enum class B : int; using C = D; struct A make(); A f(struct A x) { struct B {}; }") == []
    assert names("struct A { struct Inner {}; enum E { x }; }; struct A::Late {};") == ["A"]
    assert names("template <> struct Info<A> {}; const A a = {1, {2}}; A::A() : x{1}, y(2) { z(); }") == []
    assert names('// struct A {};\n/* struct B {}; */ const char *s = "struct C {"; auto r = R"(struct D {")";') == []
    assert names("TEST(A, B) { struct C {}; }\nnamespace { struct D {}; }\nstruct E {};") == ["D", "E"]


def test_two_types_of_one_name_are_found() -> None:
    one, other = "namespace a { struct A {}; }", "namespace b { enum class A { x }; }"
    assert namesakes(X_h=one, Y_h=other) == 1
    assert namesakes(X_h=one, Y_cpp=other) == 1
    assert namesakes(X_cpp=one, Y_cpp=other) == 1
    assert namesakes(X_h=one, Y_h="struct B { struct A {}; };") == 0
    hidden = "namespace a { namespace { struct A {}; } }"
    assert namesakes(X_h=one, Y_cpp=hidden) == 1
    assert namesakes(X_cpp=one, Y_cpp=hidden) == 0
    assert namesakes(X_cpp=hidden, Y_cpp=hidden) == 0


def test_cycles_are_found_with_their_includes() -> None:
    assert cycles(A="B C", B="C", A__Sub="A") == []
    (knot,) = cycles(A="B", B="C", C="A", D="A")
    assert knot.splitlines()[0] == "folders include each other in a cycle: A, B, C"
    assert "    partita/C/X.cpp includes partita/A/X.h" in knot.splitlines()
    assert len(cycles(A="A/Sub", A__Sub="A")) == 1
    assert len(cycles(A="B", B="A", C="D", D="C")) == 2


def test_only_code_includes() -> None:
    sources = {
        "partita/A/X.h": '// #include "partita/B/X.h"\n#include <partita/C/D/X.h.inc>\n#include "partita/A/Y.h"\n'
    }
    assert {start: set(ends) for start, ends in read_arrows(sources).items()} == {"A": {"C/D"}}
