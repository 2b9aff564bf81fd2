//===- FlatNames.h - the names and locations of a flat program ------------===//
//
// The graph keeps each text once: names of values and ops, element types, file
// positions. Flattening meets the same location again and again, so what it gives
// is remembered.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_FLATNAMES_H
#define PARTITA_PROGRAM_FLATNAMES_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Names.h"
#include "partita/Program/Rooms.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace partita::program {

class FlatNames {
public:
  /// Appends to the names of `graph`.
  explicit FlatNames(Graph &graph) : graph(graph) {}

  /// The id of the text; invalid if it is empty.
  NameId intern(llvm::StringRef text);
  NameId internLocation(mlir::Location location) { return lookUp(location).source; }
  /// Name and occurrence of the next inner value at `location`.
  std::pair<NameId, uint32_t> nextName(mlir::Location location);

private:
  /// What cells and ops take from a location: the file position and the name of values there.
  struct Spot {
    mlir::Location location;
    /// `file.py:42`.
    NameId source;
    NameId name;
    unsigned stack = 0;
  };
  const Spot &lookUp(mlir::Location location);

  Graph &graph;
  llvm::StringMap<NameId> nameIds;
  llvm::DenseMap<mlir::Location, unsigned> spotIds;
  std::vector<Spot> spots;
  unsigned lastSpot = 0;
  InnerNames innerNames;
};

} // namespace partita::program

#endif
