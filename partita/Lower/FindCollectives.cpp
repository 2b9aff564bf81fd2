//===- FindCollectives.cpp - finds collectives that the input has ---------===//

#include "partita/Lower/FindCollectives.h"

#include "partita/Cost/ReshardPlanBuilder.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Devices.h"
#include "partita/Program/FlattenTypes.h"
#include "partita/Program/Loops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::lower {

//===----------------------------------------------------------------------===//
// Device groups
//===----------------------------------------------------------------------===//

static int64_t getStride(const Mesh &mesh, size_t axis) {
  int64_t stride = 1;
  for (const MeshAxis &minor : llvm::ArrayRef(mesh.axes).drop_front(axis + 1))
    stride *= minor.size;
  return stride;
}

/// The sub-axis that consists of these ascending `positions`; the whole axis if there is none.
static MeshPart findPart(size_t axis, int64_t axisSize, llvm::ArrayRef<int64_t> positions) {
  int64_t size = static_cast<int64_t>(positions.size()), step = positions[1] - positions[0];
  bool isPart = axisSize % (size * step) == 0;
  for (size_t i = 1; i < positions.size(); ++i)
    isPart &= positions[i] - positions[i - 1] == step;
  return isPart ? MeshPart{axis, axisSize / (size * step), size} : MeshPart{axis, 1, axisSize};
}

/// The sub-axes along which the devices differ. If the devices are no product of sub-axes, all axes along which they
/// differ, in full.
static llvm::SmallVector<MeshPart, 2> findParts(llvm::ArrayRef<int64_t> devices, const Mesh &mesh) {
  llvm::SmallVector<MeshPart, 2> parts;
  for (auto [number, axis] : llvm::enumerate(mesh.axes)) {
    llvm::SmallVector<int64_t> positions;
    for (int64_t device : devices)
      positions.push_back(device / getStride(mesh, number) % axis.size);
    llvm::sort(positions);
    positions.erase(llvm::unique(positions), positions.end());
    if (positions.size() > 1)
      parts.push_back(findPart(number, axis.size, positions));
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Permutes
//===----------------------------------------------------------------------===//

using Pair = ExistingCollective::Pair;

static Result<llvm::SmallVector<Pair>> readPairs(stablehlo::CollectivePermuteOp op, int64_t numDevices) {
  llvm::SmallVector<int64_t> devices;
  for (const APInt &device : op.getSourceTargetPairs().getValues<APInt>()) {
    devices.push_back(device.getSExtValue());
    if (devices.back() < 0 || devices.back() >= numDevices)
      return Error::badInput(locationOf(op), "the pairs name device " + std::to_string(devices.back()) +
                                                 ", there are " + std::to_string(numDevices));
  }
  llvm::SmallVector<Pair> pairs;
  for (size_t i = 0; i + 1 < devices.size(); i += 2)
    pairs.push_back({devices[i], devices[i + 1]});
  return pairs;
}

/// Sets the axes along which data moves.
static void setPattern(llvm::ArrayRef<Pair> pairs, const Mesh &mesh, ExistingCollective &collective) {
  auto getPosition = [&](int64_t device, size_t axis) { return device / getStride(mesh, axis) % mesh.axes[axis].size; };
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis)
    if (llvm::any_of(pairs,
                     [&](Pair pair) { return getPosition(pair.source, axis) != getPosition(pair.target, axis); }))
      collective.parts.push_back({axis, 1, mesh.axes[axis].size});
  collective.pairs.assign(pairs.begin(), pairs.end());
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

static std::optional<CollectiveKind> findKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<CollectiveKind>>(op)
      .Case([](stablehlo::AllGatherOp) { return CollectiveKind::AllGather; })
      .Case([](stablehlo::AllToAllOp) { return CollectiveKind::AllToAll; })
      .Case([](stablehlo::CollectivePermuteOp) { return CollectiveKind::CollectivePermute; })
      .Case([](stablehlo::AllReduceOp) { return CollectiveKind::AllReduce; })
      .Case([](stablehlo::ReduceScatterOp) { return CollectiveKind::ReduceScatter; })
      .Default(std::nullopt);
}

static int64_t countBytes(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      bytes += (type.getNumElements() * getElementBits(type.getElementType()) + 7) / 8;
  return bytes;
}

namespace {

class Finder {
public:
  Finder(const Mesh &mesh, int64_t assumedTrips) : mesh(mesh), assumedTrips(assumedTrips) {}

  /// Visits `op` and the ops inside it.
  Status visit(Operation *op, OpId id, int64_t times) {
    if (std::optional<CollectiveKind> kind = findKind(op))
      return add(op, *kind, id, times);
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    if (!loop && !isa<sdy::ManualComputationOp, stablehlo::CaseOp, stablehlo::IfOp>(op))
      return std::nullopt;
    if (loop) {
      std::optional<CountedLoop> counted = analyzeLoop(loop);
      times *= counted ? counted->tripCount : assumedTrips;
    }
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (Operation &inner : block)
          if (Status error = visit(&inner, id, times))
            return error;
    return std::nullopt;
  }

  std::vector<ExistingCollective> found;

private:
  Status add(Operation *op, CollectiveKind kind, OpId id, int64_t times) {
    ExistingCollective collective;
    collective.op = id;
    collective.kind = kind;
    collective.times = times;
    int64_t groupSize = 1;
    if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
      Result<llvm::SmallVector<Pair>> pairs = readPairs(permute, mesh.getNumDevices());
      if (!pairs)
        return pairs.error();
      setPattern(*pairs, mesh, collective);
    } else {
      auto groups =
          computeGroups(op, op->getAttr("replica_groups"), GroupStrategy::CrossPartition, mesh.getNumDevices());
      if (!groups)
        return groups.error();
      if (!groups->empty())
        collective.parts = findParts(groups->front(), mesh);
      groupSize = groups->empty() ? 1 : static_cast<int64_t>(groups->front().size());
    }
    int64_t operandBytes = countBytes(op->getOperands()), resultBytes = countBytes(op->getResults());
    collective.payloadBytes = kind == CollectiveKind::AllGather ? resultBytes : operandBytes;
    collective.sentBytes = (computeSentBits(kind, 8 * operandBytes, 8 * resultBytes, groupSize) + 7) / 8;
    found.push_back(std::move(collective));
    return std::nullopt;
  }

  const Mesh &mesh;
  int64_t assumedTrips;
};

} // namespace

Result<std::vector<ExistingCollective>> findExistingCollectives(const Flattened &flattened, const Mesh &mesh,
                                                                int64_t assumedTrips) {
  Finder finder(mesh, assumedTrips);
  for (auto [index, op] : llvm::enumerate(flattened.origins.raw())) {
    OpId id(index);
    // Ops inside loops and branches are ops of the flat program themselves; identities have no op of their own.
    if (flattened.graph.ops[id].opClass == OpClass::Identity)
      continue;
    if (Status error = finder.visit(op, id, 1))
      return std::move(*error);
  }
  return std::move(finder.found);
}

} // namespace partita::lower
