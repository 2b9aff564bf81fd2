//===- StoredBorder.cpp - local programs whose state is stored otherwise --===//

#include "partita/Verify/StoredBorder.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/DimOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::verify {

/// Whether `type` is `elements` with some dims longer, or the same.
static bool isAtLeast(Type type, Type elements) {
  if (type == elements)
    return true;
  auto longer = dyn_cast<RankedTensorType>(type), own = dyn_cast<RankedTensorType>(elements);
  if (!longer || !own || longer.getElementType() != own.getElementType() || longer.getRank() != own.getRank())
    return false;
  auto sizes = llvm::zip_equal(longer.getShape(), own.getShape());
  return llvm::all_of(sizes, [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

namespace {

/// An argument or result of the local program, and its type in the original.
struct StoredValue {
  Type stored, own;
  /// In which it is stored; padding has none.
  std::optional<StoredDim> order;

  bool isSame() const { return stored == own; }
  bool isKnown() const { return isAtLeast(order ? Type(joinDims()) : stored, own); }
  /// In the program's order, with its padding: the two dims that are one there have one size.
  RankedTensorType joinDims() const;
};

} // namespace

RankedTensorType StoredValue::joinDims() const {
  auto type = cast<RankedTensorType>(stored);
  SmallVector<int64_t> shape(type.getShape());
  shape[order->dim] *= shape[order->dim + 1];
  shape.erase(shape.begin() + order->dim + 1);
  return type.clone(shape);
}

static SmallVector<StoredValue> listArguments(func::FuncOp main, TypeRange own) {
  SmallVector<StoredValue> values;
  for (auto [number, type, other] : llvm::enumerate(main.getArgumentTypes(), own))
    values.push_back({type, other, readOrderAttr(main.getArgAttr(number, orderAttributeName), type)});
  return values;
}

static SmallVector<StoredValue> listResults(func::FuncOp main, TypeRange own) {
  SmallVector<StoredValue> values;
  for (auto [number, type, other] : llvm::enumerate(main.getResultTypes(), own))
    values.push_back({type, other, readOrderAttr(main.getResultAttr(number, orderAttributeName), type)});
  return values;
}

static DenseElementsAttr makeZero(OpBuilder &builder, Type element) {
  auto type = RankedTensorType::get({}, element);
  auto complex = dyn_cast<ComplexType>(element);
  if (!complex)
    return DenseElementsAttr::get(type, Attribute(builder.getZeroAttr(element)));
  APFloat zero = APFloat::getZero(cast<FloatType>(complex.getElementType()).getFloatSemantics());
  return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
}

static void padArgument(BlockArgument argument, RankedTensorType type) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  auto stored = cast<RankedTensorType>(argument.getType());
  DenseElementsAttr zero = makeZero(builder, type.getElementType());
  Value fill = stablehlo::ConstantOp::create(builder, argument.getLoc(), zero.getType(), zero);
  SmallVector<int64_t> none(type.getRank(), 0), high;
  for (auto [size, elements] : llvm::zip_equal(stored.getShape(), type.getShape()))
    high.push_back(size - elements);
  argument.setType(type);
  auto padded = stablehlo::PadOp::create(builder, argument.getLoc(), stored, argument, fill, none, high, none);
  argument.replaceAllUsesExcept(padded, padded);
}

static void cutResult(OpOperand &result, RankedTensorType type) {
  OpBuilder builder(result.getOwner());
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  result.set(
      stablehlo::SliceOp::create(builder, result.get().getLoc(), type, result.get(), starts, type.getShape(), strides));
}

static void reorderArgument(BlockArgument argument, RankedTensorType type, const StoredDim &stored) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : argument.getUses())
    uses.push_back(&use);
  argument.setType(type);
  Value ordered = emitReorder(builder, argument, stored.dim, stored.order);
  Value split = emitSplitDim(builder, argument.getLoc(), ordered, stored.dim, stored.order.groups);
  for (OpOperand *use : uses)
    use->set(split);
}

/// What is padded and reordered was padded first.
static void removeStorage(BlockArgument argument, const StoredValue &value) {
  auto own = cast<RankedTensorType>(value.own);
  if (value.order)
    reorderArgument(argument, value.joinDims(), *value.order);
  if (argument.getType() != own)
    padArgument(argument, own);
}

static void restoreResult(OpOperand &result, const StoredDim &stored) {
  OpBuilder builder(result.getOwner());
  Value joined = emitJoinDims(builder, result.get().getLoc(), result.get(), stored.dim);
  result.set(emitRestore(builder, joined, stored.dim, stored.order));
}

OwningOpRef<ModuleOp> removeStorage(ModuleOp original, ModuleOp local) {
  auto own = original.lookupSymbol<func::FuncOp>("main"), stored = local.lookupSymbol<func::FuncOp>("main");
  if (!own || !stored || own.getFunctionType() == stored.getFunctionType() ||
      own.getNumArguments() != stored.getNumArguments() || own.getNumResults() != stored.getNumResults())
    return {};
  SmallVector<StoredValue> arguments = listArguments(stored, own.getArgumentTypes());
  SmallVector<StoredValue> results = listResults(stored, own.getResultTypes());
  auto isKnown = [](const StoredValue &value) { return value.isSame() || value.isKnown(); };
  if (!llvm::all_of(arguments, isKnown) || !llvm::all_of(results, isKnown))
    return {};
  OwningOpRef<ModuleOp> copy = local.clone();
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  for (auto [argument, value] : llvm::zip_equal(main.getArguments(), arguments))
    if (!value.isSame())
      removeStorage(argument, value);
  Operation *terminator = main.getBody().front().getTerminator();
  for (auto [result, value] : llvm::zip_equal(terminator->getOpOperands(), results)) {
    if (value.isSame())
      continue;
    if (value.order)
      restoreResult(result, *value.order);
    if (result.get().getType() != value.own)
      cutResult(result, cast<RankedTensorType>(value.own));
  }
  main.setType(own.getFunctionType());
  return copy;
}

} // namespace partita::verify
