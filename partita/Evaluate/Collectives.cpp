//===- Collectives.cpp - collectives between virtual devices --------------===//
//
// A collective runs group by group, once all devices of a group have reached
// it. In lock step, a device that has not reached it never will: it left a loop
// or took another branch. The error names both sides.
//
// Reductions combine a group in ascending order of device ids, whatever order
// the group lists: ((d0 + d1) + d2) + ...
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Evaluate/Interpreter.h"
#include "partita/Evaluate/Pieces.h"
#include "partita/Evaluate/Scalars.h"
#include "partita/Program/Devices.h"

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// Participants
//===----------------------------------------------------------------------===//

static Error makeWaitError(Interpreter &interpreter, Operation *op, int64_t waiting, int64_t missing) {
  return Error::badInput(locationOf(op), "deadlock: device " + std::to_string(waiting) + " waits in '" +
                                             op->getName().getStringRef().str() + "' for device " +
                                             std::to_string(missing) + ", which " + interpreter.getAwayReason(missing));
}

/// An error unless all devices of the group have reached the op, or none has.
static Status checkPresence(Interpreter &interpreter, Operation *op, ArrayRef<int64_t> group, ActiveDevices active) {
  std::optional<int64_t> present, missing;
  for (int64_t device : group)
    (llvm::is_contained(active, device) ? present : missing) = device;
  if (present && missing)
    return makeWaitError(interpreter, op, *present, *missing);
  return std::nullopt;
}

/// Every active device must be in a group, once.
static Status checkCover(Operation *op, ArrayRef<Group> groups, ActiveDevices active) {
  llvm::SmallDenseSet<int64_t> covered;
  for (const Group &group : groups)
    for (int64_t device : group)
      if (!covered.insert(device).second)
        return Error::badInput(locationOf(op), "device " + std::to_string(device) + " is in two groups");
  for (int64_t device : active)
    if (!covered.contains(device))
      return Error::badInput(locationOf(op), "device " + std::to_string(device) + " is in no group");
  return std::nullopt;
}

namespace {

/// The operands and results of a group's devices, in the group's order.
struct Exchange {
  Interpreter &interpreter;
  Operation *op;
  ArrayRef<int64_t> group;
  ArrayRef<Values> operands;
  MutableArrayRef<Values> results;

  /// Each device's value of one operand.
  Values collect(unsigned operand) const {
    Values values;
    for (const Values &brought : operands)
      values.push_back(brought[operand]);
    return values;
  }
  void giveAll(const Tensor &value) {
    for (Values &taken : results)
      taken.push_back(value);
  }
  /// An error unless `value` has the type of result `index`.
  Status checkType(const Tensor &value, unsigned index) const {
    if (value.getType().getShape() == cast<RankedTensorType>(op->getResult(index).getType()).getShape())
      return std::nullopt;
    return Error::badInput(locationOf(op), "a group of " + std::to_string(group.size()) +
                                               " devices does not give a result of the type that the op has");
  }
};

} // namespace

using ExchangeFunction = llvm::function_ref<Status(Exchange &)>;

static Status runGroup(Interpreter &interpreter, const Step &step, ArrayRef<int64_t> group, ExchangeFunction work) {
  SmallVector<Values> operands, results(group.size());
  for (int64_t device : group)
    operands.push_back(interpreter.readOperands(device, step));
  Exchange exchange{interpreter, step.op, group, operands, results};
  if (Status error = work(exchange))
    return error;
  for (auto [device, values] : llvm::zip_equal(group, results))
    interpreter.writeResults(device, step, std::move(values));
  return std::nullopt;
}

static Status runGroups(Interpreter &interpreter, const Step &step, ActiveDevices active, Attribute replicaGroups,
                        GroupStrategy strategy, ExchangeFunction work) {
  Result<SmallVector<Group>> groups = computeGroups(step.op, replicaGroups, strategy, interpreter.getNumDevices());
  if (!groups)
    return groups.error();
  if (Status error = checkCover(step.op, *groups, active))
    return error;
  for (const Group &group : *groups) {
    if (Status error = checkPresence(interpreter, step.op, group, active))
      return error;
    if (!llvm::is_contained(active, group.front()))
      continue;
    if (Status error = runGroup(interpreter, step, group, work))
      return error;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Collectives within groups
//===----------------------------------------------------------------------===//

static Status evaluateAllGather(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::AllGatherOp>(step.op);
  return runGroups(interpreter, step, active, op.getReplicaGroups(), getGroupStrategy(op),
                   [&](Exchange &exchange) -> Status {
                     for (unsigned index = 0; index < op->getNumOperands(); ++index) {
                       Tensor whole = concatenate(exchange.collect(index), op.getAllGatherDim());
                       if (Status error = exchange.checkType(whole, index))
                         return error;
                       exchange.giveAll(whole);
                     }
                     return std::nullopt;
                   });
}

/// The values of a group combined by `reducer`, in ascending order of devices.
static Result<Tensor> reduce(Exchange &exchange, Values values, Region &reducer) {
  SmallVector<std::pair<int64_t, Tensor>> ordered;
  for (auto [device, value] : llvm::zip_equal(exchange.group, values))
    ordered.emplace_back(device, value);
  llvm::sort(ordered, llvm::less_first());
  Type elementType = cast<RankedTensorType>(reducer.getArgument(0).getType()).getElementType();
  Tensor sum = promote(ordered.front().second, elementType);
  RegionsOnDevice regions(exchange.interpreter, ordered.front().first);
  for (auto &[device, value] : llvm::drop_begin(ordered))
    if (Status error = combineInto(sum, promote(value, elementType), reducer, regions))
      return std::move(*error);
  return sum;
}

static Status evaluateAllReduce(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::AllReduceOp>(step.op);
  return runGroups(interpreter, step, active, op.getReplicaGroups(), getGroupStrategy(op),
                   [&](Exchange &exchange) -> Status {
                     for (unsigned index = 0; index < op->getNumOperands(); ++index) {
                       Result<Tensor> sum = reduce(exchange, exchange.collect(index), op.getComputation());
                       if (!sum)
                         return sum.error();
                       exchange.giveAll(*sum);
                     }
                     return std::nullopt;
                   });
}

static Status evaluateReduceScatter(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::ReduceScatterOp>(step.op);
  int64_t dim = op.getScatterDimension();
  return runGroups(interpreter, step, active, op.getReplicaGroups(), getGroupStrategy(op),
                   [&](Exchange &exchange) -> Status {
                     Result<Tensor> sum = reduce(exchange, exchange.collect(0), op.getComputation());
                     if (!sum)
                       return sum.error();
                     int64_t count = exchange.group.size();
                     for (auto [index, taken] : llvm::enumerate(exchange.results)) {
                       taken.push_back(extractPart(*sum, dim, index, count));
                       if (Status error = exchange.checkType(taken.back(), 0))
                         return error;
                     }
                     return std::nullopt;
                   });
}

static Status evaluateAllToAll(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::AllToAllOp>(step.op);
  int64_t splitDim = op.getSplitDimension(), concatDim = op.getConcatDimension(), count = op.getSplitCount();
  auto work = [&](Exchange &exchange) -> Status {
    if (static_cast<int64_t>(exchange.group.size()) != count)
      return Error::badInput(locationOf(op), "a group has " + std::to_string(exchange.group.size()) +
                                                 " devices, split_count is " + std::to_string(count));
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      for (auto [receiver, taken] : llvm::enumerate(exchange.results)) {
        Values parts;
        for (const Tensor &brought : exchange.collect(operand))
          parts.push_back(extractPart(brought, splitDim, receiver, count));
        taken.push_back(concatenate(parts, concatDim));
      }
    return std::nullopt;
  };
  return runGroups(interpreter, step, active, op.getReplicaGroups(), getGroupStrategy(op), work);
}

//===----------------------------------------------------------------------===//
// From one device to others: devices that receive nothing get zeros
//===----------------------------------------------------------------------===//

/// One value sent from a device to another.
struct Transfer {
  int64_t source;
  int64_t target;
};

static Status runTransfers(Interpreter &interpreter, const Step &step, ActiveDevices active,
                           ArrayRef<Transfer> transfers) {
  for (auto [source, target] : transfers)
    if (Status error = checkPresence(interpreter, step.op, {source, target}, active))
      return error;
  llvm::SmallDenseMap<int64_t, Tensor> brought, taken;
  for (int64_t device : active)
    brought[device] = interpreter.read(device, step.operands[0]);
  for (auto [source, target] : transfers)
    if (brought.contains(source))
      taken[target] = brought[source];
  auto type = cast<RankedTensorType>(step.op->getResult(0).getType());
  for (int64_t device : active)
    interpreter.write(device, step, 0, taken.contains(device) ? taken[device] : Tensor(type, interpreter.getMode()));
  return std::nullopt;
}

/// Pairs of devices; without a channel a pair names replicas, and there is one.
static Status evaluateCollectivePermute(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::CollectivePermuteOp>(step.op);
  SmallVector<int64_t> ids;
  for (const APInt &id : op.getSourceTargetPairs())
    ids.push_back(id.getSExtValue());
  bool isCrossPartition = getGroupStrategy(op) == GroupStrategy::CrossPartition;
  int64_t count = isCrossPartition ? interpreter.getNumDevices() : 1;
  for (int64_t id : ids)
    if (id < 0 || id >= count)
      return Error::badInput(locationOf(op), "the pairs name " +
                                                 std::string(isCrossPartition ? "partition " : "replica ") +
                                                 std::to_string(id) + ", there are " + std::to_string(count));
  SmallVector<Transfer> transfers;
  for (size_t index = 0; index + 1 < ids.size(); index += 2) {
    if (isCrossPartition)
      transfers.push_back({ids[index], ids[index + 1]});
    else
      for (int64_t device : active)
        transfers.push_back({device, device});
  }
  return runTransfers(interpreter, step, active, transfers);
}

/// The first device of each group sends to all of it.
static Status evaluateCollectiveBroadcast(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::CollectiveBroadcastOp>(step.op);
  Result<SmallVector<Group>> groups =
      computeGroups(op, op.getReplicaGroups(), getGroupStrategy(op), interpreter.getNumDevices());
  if (!groups)
    return groups.error();
  SmallVector<Transfer> transfers;
  for (const Group &group : *groups)
    for (int64_t device : group)
      transfers.push_back({group.front(), device});
  return runTransfers(interpreter, step, active, transfers);
}

//===----------------------------------------------------------------------===//
// Device ids
//===----------------------------------------------------------------------===//

static Tensor makeId(Operation *op, Mode mode, uint64_t id) {
  Tensor result(cast<RankedTensorType>(op->getResult(0).getType()), mode);
  result.edit<uint64_t>()[0] = id;
  return result;
}

static Status evaluatePartitionId(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  for (int64_t device : active)
    interpreter.write(device, step, 0, makeId(step.op, interpreter.getMode(), device));
  return std::nullopt;
}

static Status evaluateReplicaId(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  for (int64_t device : active)
    interpreter.write(device, step, 0, makeId(step.op, interpreter.getMode(), 0));
  return std::nullopt;
}

void registerCollectives(CrossDeviceOps &table) {
  table.add<stablehlo::AllGatherOp>(evaluateAllGather);
  table.add<stablehlo::AllReduceOp>(evaluateAllReduce);
  table.add<stablehlo::ReduceScatterOp>(evaluateReduceScatter);
  table.add<stablehlo::AllToAllOp>(evaluateAllToAll);
  table.add<stablehlo::CollectivePermuteOp>(evaluateCollectivePermute);
  table.add<stablehlo::CollectiveBroadcastOp>(evaluateCollectiveBroadcast);
  table.add<stablehlo::PartitionIdOp>(evaluatePartitionId);
  table.add<stablehlo::ReplicaIdOp>(evaluateReplicaId);
}

} // namespace partita::evaluate
