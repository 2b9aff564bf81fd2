//===- Exchanges.cpp - what devices exchange within one op ----------------===//

#include "partita/Program/Rules/Exchanges.h"

#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program {

static constexpr llvm::StringLiteral permuteName = "part.permute";
static constexpr llvm::StringLiteral gatheredName = "part.gathered";

FactorPermute makeNeighbors(const Split &split, int64_t by, bool isAround) {
  FactorPermute permute{split.factor, {}};
  for (int64_t source = 0; source < split.parts; ++source) {
    int64_t target = isAround ? (source + split.parts + by) % split.parts : source + by;
    if (target >= 0 && target < split.parts)
      permute.pairs.emplace_back(source, target);
  }
  return permute;
}

Value emitPermute(OpBuilder &builder, Location loc, Value value, const FactorPermute &permute) {
  auto none = DenseIntElementsAttr::get(RankedTensorType::get({0, 2}, builder.getI64Type()), ArrayRef<int64_t>());
  auto made = stablehlo::CollectivePermuteOp::create(builder, loc, value.getType(), value, none,
                                                     stablehlo::ChannelHandleAttr());
  SmallVector<int64_t> numbers{permute.factor};
  for (auto [source, target] : permute.pairs)
    numbers.append({source, target});
  made->setDiscardableAttr(permuteName, builder.getDenseI64ArrayAttr(numbers));
  return made->getResult(0);
}

std::optional<FactorPermute> findPermute(Operation *op) {
  auto stated = op->getAttrOfType<DenseI64ArrayAttr>(permuteName);
  if (!isa<stablehlo::CollectivePermuteOp>(op) || !stated || stated.size() % 2 != 1)
    return std::nullopt;
  FactorPermute permute{static_cast<uint8_t>(stated[0]), {}};
  for (int64_t i = 1; i < stated.size(); i += 2)
    permute.pairs.emplace_back(stated[i], stated[i + 1]);
  return permute;
}

Value emitGathered(OpBuilder &builder, Location loc, Value value, unsigned dim, const Split &split) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= split.parts;
  auto none = DenseIntElementsAttr::get(RankedTensorType::get({0, 0}, builder.getI64Type()), ArrayRef<int64_t>());
  auto made =
      stablehlo::AllGatherOp::create(builder, loc, type.clone(shape), value, builder.getI64IntegerAttr(dim), none,
                                     stablehlo::ChannelHandleAttr(), /*use_global_device_ids=*/builder.getUnitAttr());
  made->setDiscardableAttr(gatheredName, builder.getI64IntegerAttr(split.factor));
  return made->getResult(0);
}

std::optional<uint8_t> findGathered(Operation *op) {
  auto stated = op->getAttrOfType<IntegerAttr>(gatheredName);
  if (!isa<stablehlo::AllGatherOp>(op) || !stated)
    return std::nullopt;
  return static_cast<uint8_t>(stated.getInt());
}

std::optional<uint8_t> findExchange(Operation *op) {
  if (std::optional<FactorPermute> permute = findPermute(op))
    return permute->factor;
  return findGathered(op);
}

static DenseIntElementsAttr makeTable(MLIRContext *context, ArrayRef<int64_t> ids, int64_t columns) {
  int64_t rows = static_cast<int64_t>(ids.size()) / columns;
  return DenseIntElementsAttr::get(RankedTensorType::get({rows, columns}, IntegerType::get(context, 64)), ids);
}

static DenseIntElementsAttr makePairs(MLIRContext *context, ArrayRef<std::vector<int64_t>> groups,
                                      const FactorPermute &permute) {
  SmallVector<int64_t> ids;
  for (const std::vector<int64_t> &group : groups)
    for (auto [source, target] : permute.pairs)
      ids.append({group[source], group[target]});
  return makeTable(context, ids, 2);
}

void setDevices(Operation *op, ArrayRef<std::vector<int64_t>> groups) {
  constexpr int64_t deviceToDevice = 1;
  MLIRContext *context = op->getContext();
  auto channel = stablehlo::ChannelHandleAttr::get(context, 1, deviceToDevice);
  if (std::optional<FactorPermute> stated = findPermute(op)) {
    auto permute = cast<stablehlo::CollectivePermuteOp>(op);
    permute.setSourceTargetPairsAttr(makePairs(context, groups, *stated));
    permute.setChannelHandleAttr(channel);
    op->removeDiscardableAttr(permuteName);
    return;
  }
  SmallVector<int64_t> ids;
  for (const std::vector<int64_t> &group : groups)
    llvm::append_range(ids, group);
  auto gather = cast<stablehlo::AllGatherOp>(op);
  gather.setReplicaGroupsAttr(makeTable(context, ids, static_cast<int64_t>(groups.front().size())));
  gather.setChannelHandleAttr(channel);
  op->removeDiscardableAttr(gatheredName);
}

namespace rules {

Value emitRowsOf(OpBuilder &builder, Location loc, Value value, unsigned dim, int64_t start, int64_t count, int64_t by,
                 const Split &split, Value fill) {
  LocalArithmetic emit{builder, loc};
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  auto emitFill = [&] { return emit.broadcast(fill ? fill : emit.zero(type), shape, {}); };
  if (std::abs(by) >= split.parts)
    return emitFill();
  Value rows = value;
  if (count < type.getDimSize(dim)) {
    SmallVector<int64_t> starts(shape.size(), 0), limits(type.getShape()), strides(shape.size(), 1);
    starts[dim] = start;
    limits[dim] = start + count;
    rows = stablehlo::SliceOp::create(builder, loc, type.clone(shape), rows, starts, limits, strides);
  }
  if (by == 0)
    return rows;
  Value arrived = emitPermute(builder, loc, rows, makeNeighbors(split, by));
  if (!fill)
    return arrived;
  // Only devices that have such a neighbor got something.
  using stablehlo::ComparisonDirection;
  Value bound = emit.integer(by > 0 ? by : split.parts + by);
  Value isThere = emit.compare(by > 0 ? ComparisonDirection::GE : ComparisonDirection::LT, split.index, bound);
  return emit.select(isThere, arrived, emitFill());
}

bool mayExchangeEdges(Value value) {
  return !llvm::is_contained(cast<RankedTensorType>(value.getType()).getShape(), 0);
}

Value emitHalo(const LocalContext &local, Location loc, Value value, unsigned dim, const Split &split, Halo halo,
               Value fill) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t chunk = type.getDimSize(dim);
  // The last rows of devices before this one, or the first rows of those behind it, the nearest first.
  auto listEdge = [&](int64_t rows, bool isBefore) {
    SmallVector<Value> edge;
    for (int64_t hop = 1; rows > 0; ++hop, rows -= chunk) {
      int64_t count = std::min(rows, chunk);
      edge.push_back(emitRowsOf(local.builder, loc, value, dim, isBefore ? chunk - count : 0, count,
                                isBefore ? hop : -hop, split, fill));
    }
    return edge;
  };
  SmallVector<Value> parts = listEdge(halo.low, /*isBefore=*/true);
  std::reverse(parts.begin(), parts.end());
  parts.push_back(value);
  parts.append(listEdge(halo.high, /*isBefore=*/false));
  if (parts.size() == 1)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] += halo.low + halo.high;
  return stablehlo::ConcatenateOp::create(local.builder, loc, type.clone(shape), parts, uint64_t(dim));
}

} // namespace rules

} // namespace partita::program
