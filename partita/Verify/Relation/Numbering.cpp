//===- Numbering.cpp - value numbering of the original program ------------===//

#include "partita/Verify/Relation/Numbering.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"
#include "partita/Verify/Relation/BodyMatch.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace partita::verify {

bool isSumCarrier(Operation *op) {
  return isa<stablehlo::OptimizationBarrierOp, sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp,
             sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp>(op);
}

bool isStructured(Operation *op) { return isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op); }

/// The key that equal empty tensors share; nothing for a type with elements.
static std::optional<std::pair<Type, int64_t>> makeEmptyKey(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !llvm::is_contained(tensor.getShape(), 0))
    return std::nullopt;
  return std::pair(tensor.getElementType(), tensor.getRank());
}

std::optional<ValueNumber> Numbering::findEmpty(Type type) const {
  std::optional<std::pair<Type, int64_t>> key = makeEmptyKey(type);
  auto found = key ? empties.find(*key) : empties.end();
  return found == empties.end() ? std::nullopt : std::optional(found->second);
}

ValueNumber Numbering::addNumber(Value value) {
  if (std::optional<ValueNumber> empty = findEmpty(value.getType()))
    return numbers[value] = *empty;
  infos.emplace_back();
  ValueNumber number = infos.size() - 1;
  if (std::optional<std::pair<Type, int64_t>> key = makeEmptyKey(value.getType())) {
    infos.back().uniform = llvm::SmallBitVector(key->second, true);
    infos.back().isZero = true;
    empties[*key] = number;
  }
  return numbers[value] = number;
}

void Numbering::numberBlock(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (!numbers.contains(argument))
      addNumber(argument);
  for (Operation &op : block.without_terminator())
    numberOp(&op);
}

/// A carried value has one number in the loop's condition and its body.
void Numbering::numberStructured(Operation *op) {
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    for (auto [inCondition, inBody] : llvm::zip_equal(loop.getCond().getArguments(), loop.getBody().getArguments()))
      numbers[inBody] = addNumber(inCondition);
  for (mlir::Region &region : op->getRegions())
    if (!region.empty())
      numberBlock(region.front());
  for (Value result : op->getResults())
    addNumber(result);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Splat constants of one rank and scalar share a key: an array of the scalar and the rank.
static Attribute makeKey(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !dense.isSplat() || dense.empty())
    return value;
  MLIRContext *context = value.getContext();
  Attribute scalar = dense.resizeSplat(RankedTensorType::get({}, dense.getElementType()));
  Attribute rank = IntegerAttr::get(IndexType::get(context), dense.getType().getRank());
  return ArrayAttr::get(context, {scalar, rank});
}

/// The elements of a constant of any dialect, or of a dim size, which devices know. Null for other ops.
static ElementsAttr findConstantValue(Operation *op) {
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return constant.getValue();
  if (auto constant = dyn_cast<chlo::ConstantOp>(op))
    return constant.getValue();
  if (auto constant = dyn_cast<sdy::ConstantOp>(op))
    return constant.getValue();
  auto size = dyn_cast<stablehlo::GetDimensionSizeOp>(op);
  auto type = size ? dyn_cast<RankedTensorType>(size.getOperand().getType()) : RankedTensorType();
  if (!type || type.isDynamicDim(size.getDimension()))
    return {};
  auto value = static_cast<int32_t>(type.getDimSize(size.getDimension()));
  return DenseElementsAttr::get(cast<RankedTensorType>(size.getResult().getType()), value);
}

std::optional<ValueNumber> Numbering::findConstant(ElementsAttr value) const {
  auto found = constants.find(makeKey(value));
  return found == constants.end() ? std::nullopt : std::optional(found->second);
}

//===----------------------------------------------------------------------===//
// Dims of equal elements
//===----------------------------------------------------------------------===//

static unsigned getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

static llvm::SmallBitVector findBroadcastDims(stablehlo::BroadcastInDimOp op, const llvm::SmallBitVector &operand) {
  llvm::SmallBitVector uniform(getRank(op.getResult()), true);
  auto operandShape = cast<RankedTensorType>(op.getOperand().getType()).getShape();
  for (auto [dim, resultDim] : llvm::enumerate(op.getBroadcastDimensions()))
    uniform[resultDim] = operandShape[dim] == 1 || (!operand.empty() && operand[dim]);
  return uniform;
}

static llvm::SmallBitVector findTransposedDims(stablehlo::TransposeOp op, const llvm::SmallBitVector &operand) {
  llvm::SmallBitVector uniform(operand.size());
  if (!operand.empty())
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      uniform[dim] = operand[from];
  return uniform;
}

llvm::SmallBitVector Numbering::findUniformDims(Operation *op) const {
  auto ofOperand = [&](unsigned index) { return infos[get(op->getOperand(index))].uniform; };
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return findBroadcastDims(broadcast, ofOperand(0));
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op))
    return findTransposedDims(transpose, ofOperand(0));
  unsigned rank = op->getNumResults() == 1 ? getRank(op->getResult(0)) : 0;
  if (isa<stablehlo::ReshapeOp>(op))
    return llvm::SmallBitVector(rank, ofOperand(0).all() && !ofOperand(0).empty());
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    llvm::SmallBitVector uniform(rank, true);
    uniform.reset(iota.getIotaDimension());
    return uniform;
  }
  if (op->getNumOperands() == 0 || classify(op) != OpClass::Elementwise || op->getNumRegions() > 0)
    return llvm::SmallBitVector();
  llvm::SmallBitVector uniform(rank, true);
  for (Value operand : op->getOperands()) {
    const llvm::SmallBitVector &dims = infos[get(operand)].uniform;
    if (getRank(operand) == 0)
      continue;
    if (dims.size() != rank)
      return llvm::SmallBitVector();
    uniform &= dims;
  }
  return uniform;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The type without the sizes of uniform dims, but for whether there are elements at all.
static Type eraseSizes(Type type, const llvm::SmallBitVector &uniform) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || uniform.none())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (unsigned dim : uniform.set_bits())
    shape[dim] = std::min<int64_t>(shape[dim], 1);
  return tensor.clone(shape);
}

size_t Numbering::hash(Operation *op, const llvm::SmallBitVector &uniform) const {
  llvm::hash_code result = llvm::hash_combine(op->getName(), op->hashProperties());
  for (Value operand : op->getOperands())
    result = llvm::hash_combine(result, get(operand));
  for (Type type : op->getResultTypes())
    result = llvm::hash_combine(result, eraseSizes(type, uniform));
  return result;
}

static bool haveEqualProperties(Operation *a, Operation *b) {
  return a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage());
}

/// Whether the result depends on the operands' sizes only through its own sizes, uniform dims excepted.
static bool dependsOnOwnSizes(Operation *op, const llvm::SmallBitVector &uniform) {
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::TransposeOp>(op))
    return true;
  if (isa<stablehlo::ReshapeOp>(op))
    return uniform.all();
  return classify(op) == OpClass::Elementwise && op->getNumRegions() == 0;
}

bool Numbering::isEqual(Operation *a, Operation *b, const llvm::SmallBitVector &uniform) const {
  if (a->getName() != b->getName() || a->getNumOperands() != b->getNumOperands() ||
      a->getNumResults() != b->getNumResults() || !haveEqualProperties(a, b))
    return false;
  for (auto [left, right] : llvm::zip_equal(a->getOperands(), b->getOperands()))
    if (get(left) != get(right))
      return false;
  if (!dependsOnOwnSizes(a, uniform) && a->getOperandTypes() != b->getOperandTypes())
    return false;
  for (auto [left, right] : llvm::zip_equal(a->getResultTypes(), b->getResultTypes()))
    if (eraseSizes(left, uniform) != eraseSizes(right, uniform))
      return false;
  auto flags = OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;
  return llvm::all_of_zip(a->getRegions(), b->getRegions(), [&](mlir::Region &left, mlir::Region &right) {
    return OperationEquivalence::isRegionEquivalentTo(&left, &right, flags);
  });
}

// Must find at least the zeros that partitioning finds (Topology.cpp).
bool givesZeros(Operation *op, llvm::function_ref<bool(unsigned)> isZero) {
  switch (findLinearity(op)) {
  case Linearity::None:
  case Linearity::Second:
    return false;
  case Linearity::Zero:
    return true;
  case Linearity::Sum:
    return llvm::all_of(llvm::seq(op->getNumOperands()), isZero);
  case Linearity::First:
    return (op->getNumOperands() == 1 || isa<stablehlo::ReduceOp, stablehlo::DynamicSliceOp>(op)) && isZero(0);
  case Linearity::Update:
    return isZero(0) && isZero(1);
  case Linearity::Choice:
    return isZero(1) && isZero(2);
  }
  llvm_unreachable("unknown linearity");
}

void Numbering::addInfo(Operation *op) {
  bool movesConstants = op->getNumOperands() > 0 &&
                        llvm::all_of(op->getOperands(), [&](Value operand) { return infos[get(operand)].isConstant; });
  bool isSource = static_cast<bool>(findConstantValue(op));
  bool isZero = givesZeros(op, [&](unsigned index) { return infos[get(op->getOperand(index))].isZero; });
  for (Value result : op->getResults()) {
    Info &info = infos[get(result)];
    info.isZero = isZero || info.isZero;
    info.isConstant = isSource || movesConstants;
  }
}

void Numbering::addToUsers(Operation *op) {
  if (op->getNumOperands() == 0)
    sources.push_back(op);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (!llvm::is_contained(ValueRange(op->getOperands()).take_front(index), operand))
      infos[get(operand)].users.push_back(op);
}

bool Numbering::isAt(Operation *user, Location location) const {
  auto found = copies.find(user);
  return user->getLoc() == location || (found != copies.end() && llvm::is_contained(found->second, location));
}

unsigned Numbering::countCopies(Operation *user) const {
  auto found = copies.find(user);
  return found == copies.end() ? 1 : static_cast<unsigned>(found->second.size()) + 1;
}

/// Ops that may give another result each time.
static bool givesOtherEachTime(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return isa<stablehlo::RngOp, stablehlo::InfeedOp, stablehlo::RecvOp>(op) || (call && call.getHasSideEffect());
}

void Numbering::numberOp(Operation *op) {
  if (isStructured(op))
    return numberStructured(op);
  if (isSumCarrier(op)) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      numbers[result] = get(operand);
    return;
  }
  // An update without elements changes nothing, and local programs do not have it.
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
      update && cast<RankedTensorType>(update.getUpdate().getType()).getNumElements() == 0) {
    numbers[update] = get(update.getOperand());
    return;
  }
  if (ElementsAttr value = findConstantValue(op)) {
    Value result = op->getResult(0);
    auto [found, isNew] = constants.try_emplace(makeKey(value));
    if (isNew) {
      found->second = addNumber(result);
      if (isa<ArrayAttr>(found->first))
        infos[found->second].uniform = llvm::SmallBitVector(getRank(result), true);
    }
    numbers[result] = found->second;
    addInfo(op);
    return;
  }
  llvm::SmallBitVector uniform = findUniformDims(op);
  std::vector<Operation *> &bucket = known[hash(op, uniform)];
  SmallVector<Operation *> alike;
  if (!givesOtherEachTime(op))
    llvm::copy_if(bucket, std::back_inserter(alike), [&](Operation *other) { return isEqual(op, other, uniform); });
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!alike.empty())
      numbers[result] = get(alike.front()->getResult(index));
    else if (ValueNumber number = addNumber(result); !makeEmptyKey(result.getType()))
      infos[number].uniform = uniform;
  }
  if (alike.empty())
    addInfo(op);
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
    for (OpResult result : op->getResults())
      if (std::optional<unsigned> operand = findPassedOperand(manual, result.getResultNumber()))
        numbers[result] = get(op->getOperand(*operand));
  auto same = llvm::find_if(alike, [&](Operation *other) { return other->getResultTypes() == op->getResultTypes(); });
  if (same != alike.end()) {
    copies[*same].push_back(op->getLoc());
    return;
  }
  addToUsers(op);
  bucket.push_back(op);
}

} // namespace partita::verify
