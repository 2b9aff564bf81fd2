//===- UnknownOps.h - counts the ops without a rule or a price ------------===//
//
// Flatten meets them one by one. Reports have one entry for those of one name
// and target (`UnknownOp`).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_UNKNOWNOPS_H
#define PARTITA_PROGRAM_UNKNOWNOPS_H

#include "partita/Program/AlikeOps.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Rooms.h"

#include <map>
#include <tuple>

namespace partita::program {

class UnknownOps {
public:
  /// Counts `op`, which has no rule or no price. `runs` is how often it runs.
  void add(mlir::Operation *op, const OpFacts &facts, int64_t runs);
  /// Ordered by name and target.
  std::vector<UnknownOp> list() const;

private:
  /// By name, target, whether there is no rule, and whether there is no price.
  std::map<std::tuple<std::string, std::string, bool, bool>, UnknownOp> entries;
};

} // namespace partita::program

#endif
