//===- ShardingOps.cpp - meshes, constraints, groups and edges ------------===//

#include "partita/Dialect/Sdy/ShardingOps.h"

#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/Sdy/ShardingVerify.h"
#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/ShardingOps.cpp.inc"

namespace partita::sdy {

void SdyDialect::registerShardingOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Sdy/ShardingOps.cpp.inc"
      >();
}

LogicalResult ShardingConstraintOp::verifySymbolUses(SymbolTableCollection &) {
  return verifySharding(getSharding(), getType(), ErrorAt(*this));
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &) {
  return verifySharding(getSharding(), getType(), ErrorAt(*this));
}

LogicalResult ShardingGroupOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange, DictionaryAttr,
                                                OpaqueProperties, RegionRange, SmallVectorImpl<Type> &) {
  return success();
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::BOTH)
    return emitOpError("must block at least one direction");
  return success();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                           DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (!adaptor.getValueAttr())
    return failure();
  inferred.push_back(adaptor.getValueAttr().getType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  return stablehlo::ConstantOp::isCompatibleReturnTypes(inferred, given);
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  return stablehlo::ConstantOp::parse(parser, result);
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType())
    return printer.printGenericOp(*this, /*printOpName=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printStrippedAttrOrType(getValue());
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// What both kinds of edges require of their input.
static LogicalResult verifyEdgeInput(Value input, const ErrorAt &error) {
  if (!cast<ShapedType>(input.getType()).hasStaticShape())
    return error() << "an edge needs a static shape, not " << input.getType();
  if (!input.hasOneUse())
    return error() << "the input of an edge must not have other uses";
  return success();
}

LogicalResult DataFlowEdgeOp::verifySymbolUses(SymbolTableCollection &) {
  ErrorAt error(*this);
  if (failed(verifyEdgeInput(getInput(), error)))
    return failure();
  Operation *owner = getInput().getDefiningOp();
  if (owner && isa_and_present<SdyDialect>(owner->getDialect()) && !isDataFlowOp(owner))
    return error() << "the input must not be the result of " << owner->getName();
  return getShardingAttr() ? verifySharding(getShardingAttr(), getType(), error) : success();
}

LogicalResult FuncDataFlowEdgeOp::verifySymbolUses(SymbolTableCollection &) {
  ErrorAt error(*this);
  if (failed(verifyEdgeInput(getOperand(), error)))
    return failure();
  auto argument = dyn_cast<BlockArgument>(getOperand());
  bool isOfFunction = argument ? isa_and_present<func::FuncOp>(argument.getOwner()->getParentOp())
                               : isa<func::CallOp>(getOperand().getDefiningOp());
  if (!isOfFunction)
    return error() << "the operand must be an argument of a function or the result of a call";
  return success();
}

} // namespace partita::sdy
