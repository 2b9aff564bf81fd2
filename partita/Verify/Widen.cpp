//===- Widen.cpp - a program with f64 for all floats ----------------------===//

#include "partita/Verify/Widen.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::verify {

Type widenType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(widenType(tensor.getElementType()));
  if (auto complex = dyn_cast<ComplexType>(type))
    return ComplexType::get(widenType(complex.getElementType()));
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(), llvm::map_to_vector(tuple.getTypes(), widenType));
  return isa<FloatType>(type) ? Float64Type::get(type.getContext()) : type;
}

Tensor widenTensor(const Tensor &tensor) {
  return tensor.isToken() ? tensor : promote(tensor, widenType(tensor.getElementType()));
}

static SmallVector<Type> widenTypes(TypeRange types) { return llvm::map_to_vector(types, widenType); }

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

/// Constants, of whichever dialect: every attribute that holds elements.
static void widenAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getAttrs()))
    if (auto elements = dyn_cast<ElementsAttr>(attribute.getValue()))
      if (widenType(elements.getElementType()) != elements.getElementType())
        op->setAttr(attribute.getName(), toAttribute(widenTensor(makeConstant(elements, Mode::Float))));
}

/// The scalar of a `constant_like`.
static void widenScalar(chlo::ConstantLikeOp op) {
  auto value = dyn_cast<FloatAttr>(op.getValue());
  if (!value)
    return;
  Type wide = Float64Type::get(op.getContext());
  op->setAttr("value", FloatAttr::get(wide, value.getValueAsDouble()));
}

/// Keeps the bits of the narrow type: inserts conversions, whose other side `widenOp` then makes wide.
static void keepNarrowBits(stablehlo::BitcastConvertOp op) {
  OpBuilder builder(op);
  auto operandType = cast<RankedTensorType>(op.getOperand().getType());
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  if (widenType(operandType) != operandType)
    op.setOperand(stablehlo::ConvertOp::create(builder, op.getLoc(), operandType, op.getOperand()));
  if (widenType(resultType) == resultType)
    return;
  builder.setInsertionPointAfter(op);
  auto convert = stablehlo::ConvertOp::create(builder, op.getLoc(), resultType, op.getResult());
  op.getResult().replaceAllUsesExcept(convert.getResult(), convert);
}

static bool hasNarrowFloats(Operation *op) {
  auto isNarrow = [](Type type) { return widenType(type) != type; };
  return llvm::any_of(op->getOperandTypes(), isNarrow) || llvm::any_of(op->getResultTypes(), isNarrow);
}

/// Ops that use the bits of floats in an unknown way.
static bool isOpaque(Operation *op) {
  return isa<stablehlo::CustomCallOp, stablehlo::RngOp, stablehlo::RngBitGeneratorOp>(op) && hasNarrowFloats(op);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// What stays narrow: the converted operand of a bitcast, and its result.
static bool isNarrowOnPurpose(Value value) {
  if (isa_and_nonnull<stablehlo::BitcastConvertOp>(value.getDefiningOp()))
    return true;
  return llvm::any_of(value.getUsers(), [](Operation *user) { return isa<stablehlo::BitcastConvertOp>(user); });
}

static void widenOp(Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    dot.removeAlgorithmAttr();
  if (auto constant = dyn_cast<chlo::ConstantLikeOp>(op))
    widenScalar(constant);
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    FunctionType type = function.getFunctionType();
    function.setFunctionType(
        FunctionType::get(op->getContext(), widenTypes(type.getInputs()), widenTypes(type.getResults())));
  }
  widenAttributes(op);
  for (Value result : op->getResults())
    if (!isNarrowOnPurpose(result))
      result.setType(widenType(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(widenType(argument.getType()));
}

Result<OwningOpRef<ModuleOp>> widenProgram(ModuleOp module) {
  OwningOpRef<ModuleOp> wide = module.clone();
  Operation *opaque = nullptr;
  wide->walk([&](Operation *op) {
    if (isOpaque(op))
      opaque = opaque ? opaque : op;
  });
  if (opaque)
    return Error::unsupported(locationOf(opaque), "'" + opaque->getName().getStringRef().str() +
                                                      "' takes or gives floats whose bits it knows");
  wide->walk([](stablehlo::BitcastConvertOp op) { keepNarrowBits(op); });
  wide->walk([](stablehlo::ReducePrecisionOp op) {
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
  });
  wide->walk([](Operation *op) { widenOp(op); });
  DiagnosticCollector diagnostics(module.getContext(), "");
  if (failed(mlir::verify(*wide)))
    return Error::unsupported(locationOf(module),
                              "with f64 the program is not valid: " + diagnostics.takeError("no reason").reason);
  return wide;
}

} // namespace partita::verify
