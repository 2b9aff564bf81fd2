//===- DeviceIndex.cpp - emits a device's coordinates along axes ----------===//

#include "partita/Lower/DeviceIndex.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::lower {

namespace {

/// Records the emitted ops.
struct Recorder : OpBuilder::Listener {
  explicit Recorder(std::vector<Operation *> &ops) : ops(ops) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { ops.push_back(op); }
  std::vector<Operation *> &ops;
};

} // namespace

DeviceIndex::DeviceIndex(const Axes &axes, Block *body, Location loc)
    : axes(axes), body(body), builder(loc.getContext()), loc(loc),
      type(RankedTensorType::get({}, IntegerType::get(loc.getContext(), 64))) {}

SmallVector<DeviceIndex::Digit> DeviceIndex::makeDigits(ArrayRef<AxisId> list) const {
  SmallVector<Digit> digits;
  for (AxisId axis : list) {
    Digit digit{axes[axis].stride, axes[axis].size};
    if (!digits.empty() && digits.back().stride == digit.stride * digit.size)
      digits.back() = {digit.stride, digits.back().size * digit.size};
    else
      digits.push_back(digit);
  }
  return digits;
}

Value DeviceIndex::emitConstant(int64_t value) {
  Value &known = constants[value];
  if (!known)
    known = stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  return known;
}

Value DeviceIndex::emitId() {
  if (id)
    return id;
  auto plain = RankedTensorType::get({}, builder.getIntegerType(32, /*isSigned=*/false));
  Value number = stablehlo::PartitionIdOp::create(builder, loc, plain);
  return id = stablehlo::ConvertOp::create(builder, loc, type, number);
}

Value DeviceIndex::emitCoordinate(const Digit &digit) {
  Value &known = coordinates[digit];
  if (known)
    return known;
  Value value = emitId();
  if (digit.stride > 1)
    value = stablehlo::DivOp::create(builder, loc, type, value, emitConstant(digit.stride));
  if (digit.stride * digit.size < axes.mesh.getNumDevices())
    value = stablehlo::RemOp::create(builder, loc, type, value, emitConstant(digit.size));
  return known = value;
}

Value DeviceIndex::get(ArrayRef<AxisId> list) {
  Value &known = indices[std::vector<AxisId>(list)];
  if (known)
    return known;
  Recorder recorder(ops);
  builder.setListener(&recorder);
  if (ops.empty())
    builder.setInsertionPointToStart(body);
  else
    builder.setInsertionPointAfter(ops.back());
  Value index;
  for (const Digit &digit : makeDigits(list)) {
    Value coordinate = emitCoordinate(digit);
    if (index) {
      Value scaled = stablehlo::MulOp::create(builder, loc, type, index, emitConstant(digit.size));
      index = stablehlo::AddOp::create(builder, loc, type, scaled, coordinate);
    } else {
      index = coordinate;
    }
  }
  known = index ? index : emitConstant(0);
  builder.setListener(nullptr);
  return known;
}

void DeviceIndex::eraseUnused() {
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  ops.clear();
  id = nullptr;
  constants.clear();
  coordinates.clear();
  indices.clear();
}

} // namespace partita::lower
