//===- CellNames.h - finding cells by name --------------------------------===//
//
// An argument has three names: its own (`state.params['w']`), the path of it
// (`state/params/w`) and `arg3`; a result likewise, and `result0`; an inner
// value has the name stack and number of its location
// (`jit(step)/dot_general#17`) and its source position (`file.py:42#2`, the third
// value of that line).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_CELLNAMES_H
#define PARTITA_SCHEDULE_CELLNAMES_H

#include "partita/Graph/Graph.h"
#include "partita/Schedule/Pattern.h"
#include "partita/Schedule/Rooms.h"

#include "llvm/ADT/StringMap.h"

namespace partita::schedule {

class CellNames {
public:
  explicit CellNames(const Graph &graph);

  /// The cells that `pattern` matches by any of their names: arguments and results in their order, or, if there are
  /// none of those, inner values in program order.
  std::vector<CellId> match(const Pattern &pattern) const;

  /// The cell that `name` calls; invalid if there is none, or more than one.
  CellId find(llvm::StringRef name) const;

  /// The name that `find` understands: the cell's own if nothing else is called so, else its `arg3` or `result0`.
  std::string getName(CellId cell) const;

private:
  struct Boundary {
    CellId cell;
    std::string name, path, number;
  };

  void addBoundary(CellId cell, llvm::StringRef prefix);
  void indexInner() const;
  std::vector<CellId> matchInner(const Pattern &pattern) const;

  const Graph &graph;
  std::vector<Boundary> boundary;
  /// Own names and `arg3`; invalid where two cells have the same. Inner values are few of those that are asked for and
  /// many in number, so their names are added when the first of them is looked up.
  mutable llvm::StringMap<CellId> cells;
  mutable bool hasInner = false;
  std::vector<CellId> inner;
  /// Of each inner cell, how many inner cells of the same place stand before it.
  std::vector<uint32_t> placeNumbers;
};

} // namespace partita::schedule

#endif
