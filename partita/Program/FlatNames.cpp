//===- FlatNames.cpp - the names and locations of a flat program ----------===//

#include "partita/Program/FlatNames.h"

using namespace mlir;

namespace partita::program {

NameId FlatNames::intern(llvm::StringRef text) {
  if (text.empty())
    return NameId();
  auto [it, isNew] = nameIds.try_emplace(text, NameId());
  if (isNew)
    it->second = graph.names.push_back(text.str());
  return it->second;
}

const FlatNames::Spot &FlatNames::lookUp(Location location) {
  // An op and its results have the same location.
  if (lastSpot < spots.size() && spots[lastSpot].location == location)
    return spots[lastSpot];
  auto [it, isNew] = spotIds.try_emplace(location, spots.size());
  lastSpot = it->second;
  if (isNew) {
    unsigned stack = innerNames.getStack(location);
    spots.push_back({location, intern(printLocation(location)), intern(innerNames.getText(stack)), stack});
  }
  return spots[lastSpot];
}

std::pair<NameId, uint32_t> FlatNames::nextName(Location location) {
  const Spot &spot = lookUp(location);
  return {spot.name, innerNames.count(spot.stack)};
}

} // namespace partita::program
