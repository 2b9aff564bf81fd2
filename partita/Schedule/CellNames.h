//===- CellNames.h - finds cells by name ----------------------------------===//
//
// An argument has three names: its own (`state.params['w']`), its path
// (`state/params/w`) and `arg3`. A result has the same three, with `result0`. An
// inner value has two: its name stack with a number
// (`jit(step)/dot_general#17`), and its source location (`file.py:42#2`, the
// third value of that line).
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

  /// The cells of which `pattern` matches any name: arguments and results in their order; if there are none, inner
  /// values in program order.
  std::vector<CellId> match(const Pattern &pattern) const;

  /// The cell with that name; invalid if there is none or more than one.
  CellId find(llvm::StringRef name) const;

  /// The name that is nearest to one that is not known: of an argument or result, or else of an inner value. For a tree
  /// of arguments the pattern of all that are in it.
  std::optional<std::string> findNearest(llvm::StringRef name) const;

  /// A name with which `find` finds the cell: its own name if that is unique, otherwise `arg3` or `result0`.
  std::string getName(CellId cell) const;

private:
  struct Boundary {
    CellId cell;
    std::string name, path, number;
  };

  /// Which inner values may have a name: hashes of names, and indices into `inner`, in ascending order. A program has
  /// tens of thousands of names and a schedule may have hundreds of patterns, but most runs look none up. So they are
  /// made when they are first needed.
  struct InnerIndex {
    std::vector<std::pair<uint64_t, uint32_t>> names, locations;
  };

  void addBoundary(CellId cell, llvm::StringRef prefix);
  std::string getInnerName(uint32_t index) const;
  /// With the folder; empty if there is none.
  std::string getInnerLocation(uint32_t index) const;
  const InnerIndex &getIndex() const;
  void addNamed(llvm::StringRef name, std::vector<uint32_t> &found) const;
  void addLocated(llvm::StringRef location, std::vector<uint32_t> &found) const;
  std::vector<CellId> matchInner(const Pattern &pattern) const;
  CellId findInner(llvm::StringRef name) const;
  std::optional<std::string> findInside(llvm::StringRef name) const;

  const Graph &graph;
  std::vector<Boundary> boundary;
  /// Own names of arguments and results, and `arg3`; invalid where two have the same name.
  llvm::StringMap<CellId> cells;
  std::vector<CellId> inner;
  /// For each inner cell, the number of inner cells before it with the same source location.
  std::vector<uint32_t> locationNumbers;
  mutable std::unique_ptr<InnerIndex> index;
};

} // namespace partita::schedule

#endif
