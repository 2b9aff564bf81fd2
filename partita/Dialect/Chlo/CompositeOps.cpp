//===- CompositeOps.cpp - top_k, ragged_dot and scan ----------------------===//
//
// Registration of the family, top_k and the scan; ragged dots have
// RaggedDot.cpp.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/CompositeOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using partita::stablehlo::areCompatible;
using partita::stablehlo::getBounds;
using partita::stablehlo::getTensorType;

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/CompositeOps.cpp.inc"

namespace partita::chlo {

void ChloDialect::registerCompositeOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Chlo/CompositeOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,
                                       DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &inferred) {
  TopKOp::Adaptor adaptor(operands, attributes, properties, regions);
  Type indexType = IntegerType::get(context, 32), elementType = getElementTypeOrSelf(operands.front());
  auto operand = dyn_cast<RankedTensorType>(operands.front().getType());
  if (!operand) {
    inferred.assign({UnrankedTensorType::get(elementType), UnrankedTensorType::get(indexType)});
    return success();
  }
  if (operand.getRank() < 1)
    return emitOptionalError(loc, "requires an operand of rank 1 or more, got ", operand);
  int64_t k = adaptor.getK(), last = operand.getShape().back();
  if (k < 0 || (!ShapedType::isDynamic(last) && k > last))
    return emitOptionalError(loc, "requires k in [0, ", last, "], the size of the last dimension, got ", k);
  SmallVector<int64_t> sizes(operand.getShape()), bounds(getBounds(operand));
  sizes.back() = k;
  if (!bounds.empty())
    bounds.back() = ShapedType::kDynamic;
  inferred.assign({getTensorType(sizes, bounds, elementType), getTensorType(sizes, bounds, indexType)});
  return success();
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [index, argument] : llvm::enumerate(region.getArguments()))
    setName(argument, index < getInputs().size() ? "input" : "carry");
}

/// The operands of a body's terminator; a message where there is none.
static FailureOr<OperandRange> getReturned(std::optional<Location> loc, Region &body) {
  if (body.empty() || body.front().empty() || !body.front().mightHaveTerminator())
    return emitOptionalError(loc, "requires a body with a terminator");
  return body.front().getTerminator()->getOperands();
}

/// The number of iterations; dynamic if it is not known.
static FailureOr<int64_t> getTripCount(std::optional<Location> loc, ScanOp::Adaptor adaptor) {
  int64_t dim = adaptor.getDimension();
  int64_t count = adaptor.getScanDimSize().value_or(ShapedType::kDynamic);
  for (auto [index, type] : llvm::enumerate(adaptor.getInputs().getTypes())) {
    auto input = dyn_cast<RankedTensorType>(type);
    if (!input || dim >= input.getRank())
      return emitOptionalError(loc, "requires ranked inputs with dimension ", dim, ", got ", type, " for input ",
                               index);
    int64_t size = input.getDimSize(dim);
    if (ShapedType::isDynamic(count))
      count = size;
    else if (!ShapedType::isDynamic(size) && size != count)
      return emitOptionalError(loc, "requires inputs of ", count, " slices, got ", type, " for input ", index);
  }
  return count;
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                       DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &inferred) {
  ScanOp::Adaptor adaptor(operands, attributes, properties, regions);
  FailureOr<OperandRange> returned = getReturned(loc, *regions.front());
  if (failed(returned))
    return failure();
  size_t carries = adaptor.getInits().size();
  if (returned->size() < carries)
    return emitOptionalError(loc, "requires a body that returns the carries, at least ", carries, " values");
  FailureOr<int64_t> tripCount = getTripCount(loc, adaptor);
  if (failed(tripCount))
    return failure();
  size_t outputs = returned->size() - carries;
  int64_t dim = adaptor.getDimension();
  for (auto [index, type] : llvm::enumerate(returned->getTypes())) {
    auto slice = dyn_cast<RankedTensorType>(type);
    if (!slice)
      return emitOptionalError(loc, "requires a body that returns ranked tensors, got ", type);
    SmallVector<int64_t> shape(slice.getShape());
    if (index < outputs) {
      if (dim > slice.getRank())
        return emitOptionalError(loc, "requires outputs of rank ", dim, " or more to stack, got ", type);
      shape.insert(shape.begin() + dim, *tripCount);
    }
    inferred.push_back(RankedTensorType::get(shape, slice.getElementType()));
  }
  return success();
}

/// `type` without dim `dim`.
static RankedTensorType dropDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError("requires inputs or outputs");
  if (failed(getTripCount(getLoc(), *this)))
    return failure();
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError("requires ") << getNumOperands() << " arguments of the body, got " << block.getNumArguments();
  for (auto [index, operand, argument] : llvm::enumerate(getOperandTypes(), block.getArgumentTypes())) {
    auto type = dyn_cast<RankedTensorType>(operand);
    if (!type)
      return emitOpError("requires ranked operands, got ") << operand;
    if (index < getInputs().size())
      type = dropDim(type, getDimension());
    if (!areCompatible(type, argument))
      return emitOpError("requires argument ") << index << " of the body to be " << type << ", got " << argument;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Text of the scan: (inputs) inits (inits) dimension=0 attributes {...} {body} : type
//===----------------------------------------------------------------------===//

/// Gives the operands their types, and the op its results and segment sizes.
static ParseResult resolveScan(OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> inputs,
                               ArrayRef<OpAsmParser::UnresolvedOperand> inits, FunctionType type,
                               OperationState &result) {
  SMLoc loc = parser.getNameLoc();
  if (type.getNumInputs() != inputs.size() + inits.size())
    return parser.emitError(loc, "operand types must match the number of inputs and inits");
  if (type.getNumResults() < inits.size())
    return parser.emitError(loc, "not enough result types to cover the required carries");
  if (parser.resolveOperands(inputs, type.getInputs().take_front(inputs.size()), loc, result.operands) ||
      parser.resolveOperands(inits, type.getInputs().take_back(inits.size()), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  auto numInputs = static_cast<int32_t>(inputs.size()), numCarries = static_cast<int32_t>(inits.size());
  auto numOutputs = static_cast<int32_t>(type.getNumResults()) - numCarries;
  Builder &builder = parser.getBuilder();
  result.addAttribute(ScanOp::getOperandSegmentSizeAttr(), builder.getDenseI32ArrayAttr({numInputs, numCarries}));
  result.addAttribute(ScanOp::getResultSegmentSizeAttr(), builder.getDenseI32ArrayAttr({numOutputs, numCarries}));
  return success();
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  FunctionType type;
  Region *body = result.addRegion();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body) ||
      parser.parseColonType(type))
    return failure();
  result.addAttribute(getDimensionAttrName(result.name), parser.getBuilder().getI64IntegerAttr(dimension));
  return resolveScan(parser, inputs, inits, type, result);
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension() << ' ';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getDimensionAttrName(), getOperandSegmentSizeAttr(), getResultSegmentSizeAttr()});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

} // namespace partita::chlo
