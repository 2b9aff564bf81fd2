//===- ExistingCollectives.cpp - collectives that the input has -----------===//

#include "partita/Cost/ExistingCollectives.h"

#include "partita/Cost/ReshardPlanPrice.h"

#include <numeric>

namespace partita::cost {

std::vector<std::string> ExistingCollective::getAxes(const Mesh &mesh) const {
  std::vector<std::string> names;
  for (const MeshPart &part : parts) {
    const MeshAxis &axis = mesh.axes[part.axis];
    bool isWhole = part.size == axis.size;
    names.push_back(isWhole ? axis.name
                            : axis.name + ":(" + std::to_string(part.preSize) + ")" + std::to_string(part.size));
  }
  return names;
}

LevelParts ExistingCollective::place(const Placement &placement) const {
  LevelParts levels;
  for (const MeshPart &part : parts)
    levels.append(placeSubAxis(placement.axes[part.axis], part.preSize, part.size));
  return levels;
}

/// For each device of the machine, the device whose bytes it receives.
static std::vector<int64_t> findSources(llvm::ArrayRef<ExistingCollective::Pair> pairs, llvm::ArrayRef<int64_t> order) {
  std::vector<int64_t> sources(order.size());
  std::iota(sources.begin(), sources.end(), 0);
  for (ExistingCollective::Pair pair : pairs)
    sources[static_cast<size_t>(order[static_cast<size_t>(pair.target)])] = order[static_cast<size_t>(pair.source)];
  return sources;
}

CollectivePrice priceExistingCollective(const CostModel &model, const ExistingCollective &collective) {
  LevelParts parts = collective.place(model.getPlacement());
  std::vector<int64_t> sources = findSources(collective.pairs, model.getDeviceOrder());
  CollectiveRequest request;
  request.kind = getCollective(collective.kind);
  request.parts = parts;
  request.payloadBytes = collective.payloadBytes;
  request.sources = sources;
  return priceCollective(model.getMachine(), request);
}

} // namespace partita::cost
