//===- StoredBorder.cpp - local programs whose state is stored padded -----===//

#include "partita/Verify/StoredBorder.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

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

static bool areAtLeast(TypeRange types, TypeRange elements) {
  return types.size() == elements.size() && llvm::all_of(llvm::zip_equal(types, elements), [](auto pair) {
           return isAtLeast(std::get<0>(pair), std::get<1>(pair));
         });
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

OwningOpRef<ModuleOp> removeStorage(ModuleOp original, ModuleOp local) {
  auto own = original.lookupSymbol<func::FuncOp>("main"), stored = local.lookupSymbol<func::FuncOp>("main");
  if (!own || !stored || own.getFunctionType() == stored.getFunctionType() ||
      !areAtLeast(stored.getArgumentTypes(), own.getArgumentTypes()) ||
      !areAtLeast(stored.getResultTypes(), own.getResultTypes()))
    return {};
  OwningOpRef<ModuleOp> copy = local.clone();
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  for (auto [argument, type] : llvm::zip_equal(main.getArguments(), own.getArgumentTypes()))
    if (argument.getType() != type)
      padArgument(argument, cast<RankedTensorType>(type));
  Operation *terminator = main.getBody().front().getTerminator();
  for (auto [result, type] : llvm::zip_equal(terminator->getOpOperands(), own.getResultTypes()))
    if (result.get().getType() != type)
      cutResult(result, cast<RankedTensorType>(type));
  main.setType(own.getFunctionType());
  return copy;
}

} // namespace partita::verify
