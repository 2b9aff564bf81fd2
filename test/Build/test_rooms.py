"""The rooms' dependencies hold, and the check can fail."""

import check_rooms


def test_every_include_is_allowed() -> None:
    assert check_rooms.check(check_rooms.ROOT) == []


def test_a_forbidden_include_is_found() -> None:
    rooms = check_rooms.declared_rooms("partita_room(Support)\npartita_room(Graph DEPENDS Support)\n")
    assert rooms == {"Support": {"Support"}, "Graph": {"Graph", "Support"}}
    upwards = check_rooms.complaints("a.cpp", '#include "partita/Graph/Graph.h"\n', "Support", rooms["Support"])
    mlir = check_rooms.complaints("b.cpp", '#include "mlir/IR/Value.h"\n', "Graph", rooms["Graph"])
    llvm = check_rooms.complaints("c.cpp", '#include "llvm/IR/Value.h"\n', "Graph", rooms["Graph"])
    assert len(upwards) == len(mlir) == len(llvm) == 1


def test_rooms_h_and_namespaces_follow_the_declaration() -> None:
    right = "namespace partita::cost {\nusing namespace graph;\n} // namespace partita::cost\n"
    assert check_rooms.check_used_rooms("Cost", right, {"Graph", "Support", "MLIR"}) == []
    assert len(check_rooms.check_used_rooms("Cost", right, {"Graph", "Machine"})) == 1
    assert check_rooms.check_namespace("a.h", right, "Cost") == []
    assert len(check_rooms.check_namespace("a.h", right, "Search")) == 1
