//===- DeviceDependence.cpp - values that differ from device to device ----===//

#include "partita/Program/DeviceDependence.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace partita::program {

bool isExistingCollective(Operation *op) {
  using namespace stablehlo;
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, AsyncStartOp, AsyncDoneOp, CollectiveBroadcastOp,
             CollectivePermuteOp, CrossReplicaSumOp, ReduceScatterOp, PartitionIdOp, ReplicaIdOp>(op) ||
         isa<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp, sdy::AllToAllOp, sdy::CollectivePermuteOp,
             sdy::ReduceScatterOp, sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(op);
}

bool DeviceDependence::touchesDiffering(Operation *op) const {
  if (differing.empty())
    return false;
  auto isDifferent = [&](Value value) { return isDiffering(value); };
  if (llvm::any_of(op->getOperands(), isDifferent) || llvm::any_of(op->getResults(), isDifferent))
    return true;
  bool found = false;
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) { found |= isDiffering(use->get()); });
  return found;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {

/// The groups of devices that the op lists.
struct Groups {
  /// False if the op does not list the devices.
  bool isKnown = false;
  std::vector<std::vector<int64_t>> list;

  bool areOfOneSize() const {
    return isKnown &&
           llvm::all_of(list, [&](const std::vector<int64_t> &group) { return group.size() == list.front().size(); });
  }
  bool areSingle() const {
    return isKnown && llvm::all_of(list, [](const std::vector<int64_t> &group) { return group.size() == 1; });
  }
};

} // namespace

static Groups readGroups(Operation *op) {
  Groups groups;
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(op->getAttr("replica_groups"));
  if (!dense || dense.getType().getRank() != 2)
    return groups;
  groups.isKnown = true;
  int64_t width = dense.getType().getDimSize(1), index = 0;
  for (const APInt &device : dense.getValues<APInt>()) {
    if (index++ % width == 0)
      groups.list.emplace_back();
    // Negative ids pad shorter groups.
    if (!device.isNegative())
      groups.list.back().push_back(device.getSExtValue());
  }
  groups.isKnown = !groups.list.empty();
  return groups;
}

static bool hasChannel(Operation *op) {
  auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  return channel && channel.getHandle() > 0;
}

/// The devices that a permute sends something to.
static size_t countTargets(stablehlo::CollectivePermuteOp op) {
  llvm::SmallSet<int64_t, 16> targets;
  size_t index = 0;
  for (const APInt &device : op.getSourceTargetPairs().getValues<APInt>())
    if (index++ % 2 == 1)
      targets.insert(device.getSExtValue());
  return targets.size();
}

//===----------------------------------------------------------------------===//
// Which values differ
//===----------------------------------------------------------------------===//

namespace {

class Search {
public:
  explicit Search(func::FuncOp main) : main(main) {
    auto module = main->getParentOfType<ModuleOp>();
    if (auto count = module ? module->getAttrOfType<IntegerAttr>("mhlo.num_partitions") : IntegerAttr())
      numDevices = count.getInt();
  }

  DeviceDependence run() {
    main.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<sdy::ManualComputationOp>(op))
        return WalkResult::skip();
      if (isExistingCollective(op))
        values.collectives.push_back(op);
      return WalkResult::advance();
    });
    // A loop's yielded values may make more of its initial values differ, so this runs to a fixed point.
    size_t before;
    do {
      before = values.differing.size();
      if (!values.collectives.empty())
        visitBlock(main.getBody().front());
    } while (values.differing.size() != before);
    return std::move(values);
  }

private:
  void visitBlock(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }
  void set(Value value) { values.differing.insert(value); }
  void setAll(ValueRange range) { values.differing.insert(range.begin(), range.end()); }
  bool isAnyDiffering(ValueRange range) const {
    return llvm::any_of(range, [&](Value value) { return values.isDiffering(value); });
  }

  bool differs(Operation *op) const {
    if (isa<stablehlo::PartitionIdOp>(op))
      return true;
    if (!isExistingCollective(op))
      return values.touchesDiffering(op);
    Groups groups = readGroups(op);
    bool isDifferent = isAnyDiffering(op->getOperands());
    if (isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp, stablehlo::CollectiveBroadcastOp>(op))
      return isDifferent ? groups.list.size() != 1 : !groups.areOfOneSize();
    if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op))
      return isDifferent || static_cast<int64_t>(countTargets(permute)) != numDevices;
    if (isa<stablehlo::ReduceScatterOp, stablehlo::AllToAllOp>(op))
      return isDifferent || !groups.areSingle();
    return isDifferent;
  }

  void visit(Operation *op) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
      return visitWhile(loop);
    if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
      return visitBranches(op);
    if (differs(op))
      setAll(op->getResults());
  }

  void visitWhile(stablehlo::WhileOp loop) {
    Block &condition = loop.getCond().front(), &body = loop.getBody().front();
    visitBlock(condition);
    visitBlock(body);
    bool areWaysDifferent = values.isDiffering(condition.getTerminator()->getOperand(0));
    for (unsigned index = 0; index < loop->getNumResults(); ++index) {
      Value names[] = {loop->getOperand(index), body.getTerminator()->getOperand(index)};
      if (!areWaysDifferent && !isAnyDiffering(names))
        continue;
      set(loop->getResult(index));
      set(condition.getArgument(index));
      set(body.getArgument(index));
    }
  }

  void visitBranches(Operation *op) {
    bool areWaysDifferent = values.isDiffering(op->getOperand(0));
    if (areWaysDifferent)
      setAll(op->getResults());
    for (mlir::Region &branch : op->getRegions()) {
      visitBlock(branch.front());
      for (auto [value, result] : llvm::zip_equal(branch.front().getTerminator()->getOperands(), op->getResults()))
        if (values.isDiffering(value))
          set(result);
    }
  }

  func::FuncOp main;
  /// The number of devices, if the program states it.
  int64_t numDevices = 0;
  DeviceDependence values;
};

} // namespace

DeviceDependence findDeviceDependence(func::FuncOp main) { return Search(main).run(); }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static Error refuse(Operation *op, const std::string &why, const std::string &remedy) {
  return Error::unsupported(locationOf(op), "'" + op->getName().getStringRef().str() + "': " + why).withRemedy(remedy);
}

static const char *const manualRemedy =
    "write what is meant for a device as a manual computation (jax.shard_map), which says how its values are sharded";

static Status verifyCollective(Operation *op, int64_t numDevices) {
  if (isa<sdy::SdyDialect>(op->getDialect()))
    return refuse(op, "a reshard of Shardy's outside of a manual computation belongs to a program that is partitioned",
                  "give the program before it was partitioned");
  if (isa<stablehlo::AsyncStartOp, stablehlo::AsyncDoneOp, stablehlo::CrossReplicaSumOp, stablehlo::ReplicaIdOp>(op))
    return refuse(op, "it is about replicas, or runs beside other ops; a local program has one replica", manualRemedy);
  if (isa<stablehlo::PartitionIdOp>(op))
    return std::nullopt;
  if (!hasChannel(op))
    return refuse(op, "it has no channel, so its groups are of replicas, and a local program has one replica",
                  manualRemedy);
  if (std::optional<Attribute> global = op->getInherentAttr("use_global_device_ids"); global && !*global)
    return refuse(op, "its groups are of replicas with all their partitions, and a local program has one replica",
                  "set use_global_device_ids, and name partitions");
  if (isa<stablehlo::CollectivePermuteOp>(op))
    return std::nullopt;
  Groups groups = readGroups(op);
  llvm::SmallSet<int64_t, 16> covered;
  for (const std::vector<int64_t> &group : groups.list)
    covered.insert(group.begin(), group.end());
  if (groups.isKnown && static_cast<int64_t>(covered.size()) != numDevices)
    return refuse(op,
                  "its groups are of " + std::to_string(covered.size()) + " devices, the mesh has " +
                      std::to_string(numDevices),
                  "give a mesh of as many devices as the program is written for");
  return std::nullopt;
}

Status verifyDeviceDependence(func::FuncOp main, const DeviceDependence &values, int64_t numDevices) {
  if (values.collectives.empty())
    return std::nullopt;
  auto module = main->getParentOfType<ModuleOp>();
  if (auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
      count && count.getInt() > 1 && count.getInt() != numDevices)
    return refuse(values.collectives.front(),
                  "the program is for " + std::to_string(count.getInt()) + " partitions, the mesh has " +
                      std::to_string(numDevices) + " devices",
                  "give a mesh of as many devices");
  for (Operation *op : values.collectives)
    if (Status error = verifyCollective(op, numDevices))
      return error;
  Status error;
  main.walk([&](sdy::ManualComputationOp manual) {
    if (!error && values.touchesDiffering(manual))
      error = refuse(manual, "it takes a value that is another one on each device", manualRemedy);
  });
  if (error)
    return error;
  for (auto [index, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
    if (values.isDiffering(value))
      return refuse(values.collectives.front(),
                    "result " + std::to_string(index) +
                        " depends on which device computes it, so the program has no "
                        "one result",
                    manualRemedy);
  return std::nullopt;
}

} // namespace partita::program
