//===- ProgramReorderer.cpp - writes the program with dims in another order ===//

#include "partita/Reorder/ProgramReorderer.h"

#include "partita/Program/OpTraits.h"

using namespace mlir;

namespace partita::reorder {

static size_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ProgramReorderer::ValueOrder ProgramReorderer::getOrderOf(Value value) const {
  auto known = orders.find(value);
  return known != orders.end() ? known->second : ValueOrder(getRank(value));
}

ProgramReorderer::ValueOrder ProgramReorderer::getReached(Value value) const {
  ValueOrder order(getRank(value));
  auto known = reach.values.find(value);
  if (known != reach.values.end())
    for (auto [dim, segment] : llvm::zip(order, known->second))
      if (segment)
        dim = reach.getOrder(*segment);
  return order;
}

ProgramReorderer::ValueOrder ProgramReorderer::getOrder(Operation *op, size_t rank, const ValueFactors &factors) const {
  ValueOrder order(rank);
  auto list = reach.ops.find(op);
  if (list != reach.ops.end())
    for (auto [dim, dimFactors] : llvm::zip(order, factors))
      for (uint8_t factor : dimFactors)
        if (const std::optional<Segment> &segment = list->second[factor])
          dim = reach.getOrder(*segment);
  return order;
}

void ProgramReorderer::define(Value value, ValueOrder order) {
  if (!llvm::all_of(order, [](const DimOrder &dim) { return dim.isPlain(); }))
    orders[value] = std::move(order);
}

/// Whether all elements along the dim are equal, so that no order changes the value.
static bool isInvariant(Value value, unsigned dim, unsigned depth = 0) {
  constexpr unsigned mostDepth = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth == mostDepth)
    return false;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    const int64_t *from = llvm::find(dims, int64_t(dim));
    if (from == dims.end())
      return true;
    unsigned own = from - dims.begin();
    bool isOne = cast<RankedTensorType>(broadcast.getOperand().getType()).getDimSize(own) == 1;
    return isOne || isInvariant(broadcast.getOperand(), own, depth + 1);
  }
  bool isElementwise = classify(op) == OpClass::Elementwise && op->getNumOperands() > 0 && op->getNumRegions() == 0;
  return isElementwise && llvm::all_of(op->getOperands(), [&](Value operand) {
           return getRank(operand) == getRank(value) && isInvariant(operand, dim, depth + 1);
         });
}

/// A place where `value` is known and from which `user` and all that follow see it: where the block of the value first
/// needs it.
static OpBuilder getBuilderFor(Value value, Operation *user) {
  Block *block = value.getParentBlock();
  return OpBuilder(block->findAncestorOpInBlock(*user));
}

Value ProgramReorderer::read(Value value, const ValueOrder &wanted, Operation *user) {
  ValueOrder given = getOrderOf(value);
  if (given == wanted)
    return value;
  OrderKey key{value.getAsOpaquePointer(), {}};
  for (const DimOrder &dim : wanted) {
    key.second.push_back(dim.groups);
    key.second.push_back(int64_t(dim.parts.size()));
    llvm::append_range(key.second, dim.parts);
  }
  if (auto known = converted.find(key); known != converted.end())
    return known->second;
  OpBuilder builder = getBuilderFor(value, user);
  Value made = value;
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(given, wanted))) {
    auto &[from, to] = pair;
    if (from == to || isInvariant(value, dim))
      continue;
    if (!from.isPlain()) {
      made = emitRestore(builder, made, dim, from);
      ++counts.numRestores;
    }
    if (!to.isPlain()) {
      made = emitReorder(builder, made, dim, to);
      ++counts.numReorders;
    }
  }
  return converted[key] = made;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ProgramReorderer::restoreOperands(Operation *op) {
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (orders.contains(operand.get()))
        operand.set(read(operand.get(), ValueOrder(getRank(operand.get())), op));
  });
}

void ProgramReorderer::visitReached(Operation *op) {
  const Rule &rule = reach.rules.find(op)->second;
  for (auto [operand, factors] : llvm::zip_equal(op->getOpOperands(), rule.operands))
    operand.set(read(operand.get(), getOrder(op, getRank(operand.get()), factors), op));
  for (auto [result, factors] : llvm::zip_equal(op->getResults(), rule.results))
    define(result, getOrder(op, getRank(result), factors));
}

static SmallVector<int64_t> splitNumbers(ArrayRef<int64_t> numbers, unsigned dim, int64_t groups, int64_t major) {
  SmallVector<int64_t> split(numbers);
  split[dim] /= groups;
  split.insert(split.begin() + dim, major);
  return split;
}

/// The op with dim `dim` of its operands and its result as two: groups, and what each group has.
static Value emitGrouped(OpBuilder &builder, Operation *op, unsigned dim, int64_t groups, ArrayRef<Value> operands) {
  Location loc = op->getLoc();
  RankedTensorType type = splitDim(cast<RankedTensorType>(op->getResult(0).getType()), dim, groups);
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    SmallVector<int64_t> strides(slice.getStrides());
    strides.insert(strides.begin() + dim, 1);
    return stablehlo::SliceOp::create(builder, loc, type, operands[0],
                                      splitNumbers(slice.getStartIndices(), dim, groups, 0),
                                      splitNumbers(slice.getLimitIndices(), dim, groups, groups), strides);
  }
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return stablehlo::PadOp::create(
        builder, loc, type, operands[0], operands[1], splitNumbers(pad.getEdgePaddingLow(), dim, groups, 0),
        splitNumbers(pad.getEdgePaddingHigh(), dim, groups, 0), splitNumbers(pad.getInteriorPadding(), dim, groups, 0));
  return stablehlo::ConcatenateOp::create(builder, loc, type, operands, dim + 1);
}

void ProgramReorderer::writeBridge(Operation *op, const OrderBridge &bridge) {
  auto [dim, whole] = bridge;
  DimOrder order = reach.getOrder(whole);
  // Other dims go by their factors, if any is reached.
  auto known = reach.rules.find(op);
  auto getOthers = [&](size_t rank, bool isResult, unsigned number) {
    if (known == reach.rules.end())
      return ValueOrder(rank);
    return getOrder(op, rank, isResult ? known->second.results[number] : known->second.operands[number]);
  };
  auto getPart = [&](Value value, unsigned operand) {
    int64_t begin = whole.begin + getOffset(op, dim, operand);
    int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
    return reach.getOrder({whole.root, begin, begin + size});
  };
  bool isSlice = isa<stablehlo::SliceOp>(op);
  OpBuilder builder(op);
  Location loc = NameLoc::get(builder.getStringAttr("groups"), op->getLoc());
  SmallVector<Value> operands;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    ValueOrder wanted = getOthers(getRank(operand), false, number);
    bool isScalar = isa<stablehlo::PadOp>(op) && number > 0;
    if (!isScalar)
      wanted[dim] = isSlice ? order : getPart(operand, number);
    Value made = read(operand, wanted, op);
    operands.push_back(isScalar ? made : emitSplitDim(builder, loc, made, dim, order.groups));
  }
  Value result = op->getResult(0);
  ValueOrder made = getOthers(getRank(result), true, 0);
  made[dim] = isSlice ? getPart(result, 0) : order;
  Value joined = emitJoinDims(builder, loc, emitGrouped(builder, op, dim, order.groups, operands), dim);
  define(joined, std::move(made));
  result.replaceAllUsesWith(joined);
  dead.push_back(op);
  ++counts.numBridges;
}

void ProgramReorderer::setYielded(Operation *terminator, ArrayRef<ValueOrder> yielded) {
  for (auto [number, order] : llvm::enumerate(yielded))
    terminator->setOperand(number, read(terminator->getOperand(number), order, terminator));
}

void ProgramReorderer::visitLoop(stablehlo::WhileOp loop) {
  SmallVector<ValueOrder> carried;
  Block &body = loop.getBody().front(), &condition = loop.getCond().front();
  for (unsigned number = 0; number < loop->getNumResults(); ++number) {
    const ValueOrder &order = carried.emplace_back(getReached(loop->getResult(number)));
    loop->setOperand(number, read(loop->getOperand(number), order, loop));
    for (Value held :
         {Value(loop->getResult(number)), Value(body.getArgument(number)), Value(condition.getArgument(number))})
      define(held, order);
  }
  visitBlock(condition);
  restoreOperands(condition.getTerminator());
  visitBlock(body);
  setYielded(body.getTerminator(), carried);
}

void ProgramReorderer::visitBranches(Operation *op) {
  SmallVector<ValueOrder> results;
  for (Value result : op->getResults())
    results.push_back(getReached(result));
  for (mlir::Region &branch : op->getRegions()) {
    visitBlock(branch.front());
    setYielded(branch.front().getTerminator(), results);
  }
  for (auto [result, order] : llvm::zip_equal(op->getResults(), results))
    define(result, order);
}

void ProgramReorderer::visit(Operation *op) {
  auto bridge = reach.bridges.find(op);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    visitLoop(loop);
  else if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    visitBranches(op);
  else if (bridge != reach.bridges.end() && !reach.getOrder(bridge->second.whole).isPlain())
    writeBridge(op, bridge->second);
  else if (reach.ops.contains(op))
    visitReached(op);
  else
    restoreOperands(op);
}

/// All but the terminator, which its parent knows more about.
void ProgramReorderer::visitBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    visit(op);
}

//===----------------------------------------------------------------------===//
// The border
//===----------------------------------------------------------------------===//

void ProgramReorderer::storeArgument(const StoredArgument &known) {
  BlockArgument argument = main.getArgument(known.argument);
  auto type = cast<RankedTensorType>(argument.getType());
  const auto &[dim, order] = known.stored;
  argument.setType(splitDim(type, dim, order.groups));
  main.setArgAttr(known.argument, orderAttributeName, makeOrderAttr(main.getContext(), known.stored));
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = NameLoc::get(builder.getStringAttr("stored"), argument.getLoc());
  Value joined = emitJoinDims(builder, loc, argument, dim);
  argument.replaceAllUsesExcept(joined, joined.getDefiningOp());
  ValueOrder orderOfDims(type.getRank());
  orderOfDims[dim] = order;
  define(joined, std::move(orderOfDims));
}

void ProgramReorderer::storeResult(unsigned result, const StoredDim &stored) {
  Operation *terminator = main.getBody().front().getTerminator();
  Value value = terminator->getOperand(result);
  ValueOrder wanted(getRank(value));
  wanted[stored.dim] = stored.order;
  Value next = read(value, wanted, terminator);
  OpBuilder builder(terminator);
  Location loc = NameLoc::get(builder.getStringAttr("stored"), next.getLoc());
  terminator->setOperand(result, emitSplitDim(builder, loc, next, stored.dim, stored.order.groups));
  main.setResultAttr(result, orderAttributeName, makeOrderAttr(main.getContext(), stored));
}

ReorderCounts ProgramReorderer::run(ArrayRef<StoredArgument> stored) {
  Block &block = main.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (const StoredArgument &argument : stored)
    storeArgument(argument);
  for (Operation *op : ops)
    visit(op);
  for (const StoredArgument &argument : stored)
    for (unsigned result : argument.results)
      storeResult(result, argument.stored);
  restoreOperands(block.getTerminator());
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  main.setType(
      FunctionType::get(main.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  return counts;
}

} // namespace partita::reorder
