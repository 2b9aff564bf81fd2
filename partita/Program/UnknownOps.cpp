//===- UnknownOps.cpp - counts the ops without a rule or a price ----------===//

#include "partita/Program/UnknownOps.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::program {

void UnknownOps::add(Operation *op, const OpFacts &facts, int64_t runs) {
  // Reports list so many places.
  constexpr size_t maxPlaces = 8;
  std::string target;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    target = call.getCallTargetName().str();
  std::string name = op->getName().getStringRef().str();
  UnknownOp &entry = entries[{name, target, facts.isUnknown, facts.isUnpriced}];
  entry.op = name;
  entry.target = target;
  entry.isWhole = facts.isUnknown;
  entry.isUnpriced = facts.isUnpriced;
  entry.runs += runs;
  SourceLocation location = locationOf(op);
  if (entry.count++ == 0)
    entry.location = location;
  if (std::string place = location.str();
      !place.empty() && entry.places.size() < maxPlaces && !llvm::is_contained(entry.places, place))
    entry.places.push_back(std::move(place));
}

std::vector<UnknownOp> UnknownOps::list() const {
  std::vector<UnknownOp> list;
  for (const auto &[key, entry] : entries)
    list.push_back(entry);
  return list;
}

} // namespace partita::program
