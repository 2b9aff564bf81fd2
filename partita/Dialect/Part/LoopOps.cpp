//===- LoopOps.cpp - functional loops over mesh axes ----------------------===//

#include "partita/Dialect/Part/LoopOps.h"

#include "partita/Dialect/Part/LoopFormat.h"
#include "partita/Dialect/Sdy/Axes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Part/LoopOps.cpp.inc"

namespace partita::part {

void PartDialect::registerLoopOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Part/LoopOps.cpp.inc"
      >();
}

/// One of `count` equal pieces of `whole` along `dim`; null if there is no such dim or it does not divide.
static RankedTensorType getPieceType(RankedTensorType whole, int64_t dim, int64_t count) {
  if (dim < 0 || dim >= whole.getRank() || whole.getDimSize(dim) % count != 0)
    return {};
  SmallVector<int64_t> shape(whole.getShape());
  shape[dim] /= count;
  return RankedTensorType::get(shape, whole.getElementType(), whole.getEncoding());
}

/// Why the dim of `whole` cannot be cut into pieces of the loop, or why `piece` is not one of them.
static LogicalResult verifyPiece(function_ref<InFlightDiagnostic()> error, Type whole, Type piece, int64_t dim,
                                 LoopOp loop) {
  auto type = cast<RankedTensorType>(whole);
  if (dim < 0 || dim >= type.getRank())
    return error() << "dim " << dim << " of " << type << ", which has " << type.getRank() << " dims";
  RankedTensorType expected = getPieceType(type, dim, loop.getSize());
  if (!expected)
    return error() << "axis " << sdy::toString(loop.getAxis()) << " of size " << loop.getSize()
                   << " does not divide dim " << dim << " of " << type;
  if (expected != piece)
    return error() << "a piece of " << type << " along dim " << dim << " is " << expected << ", not " << piece;
  return success();
}

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

void LoopOp::build(OpBuilder &builder, OperationState &state, TypeRange results, sdy::AxisRefAttr axis, int64_t size,
                   ArrayRef<Attribute> actions) {
  state.addTypes(results);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.axis = axis;
  properties.size = builder.getI64IntegerAttr(size);
  properties.actions = builder.getArrayAttr(actions);
  Block &block = state.addRegion()->emplaceBlock();
  block.addArgument(RankedTensorType::get({}, builder.getI64Type()), state.location);
}

/// The position has the name of its axis.
void LoopOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() == 1)
    setName(region.getArgument(0), getAxis().getName());
}

/// Fails if an enclosing loop already runs over the axis or a part of it.
static LogicalResult verifyAxisIsNew(LoopOp loop) {
  for (auto outer = loop->getParentOfType<LoopOp>(); outer; outer = outer->getParentOfType<LoopOp>())
    if (sdy::overlap(outer.getAxis(), loop.getAxis()))
      return (loop.emitOpError("axis ") << sdy::toString(loop.getAxis()) << " has a loop around this one already")
                 .attachNote(outer.getLoc())
             << "the loop over " << sdy::toString(outer.getAxis());
  return success();
}

LogicalResult LoopOp::verify() {
  int64_t size = getSize();
  sdy::SubAxisInfoAttr part = getAxis().getSubAxisInfo();
  if (part && part.getSize() != size)
    return emitOpError("axis ") << sdy::toString(getAxis()) << " has size " << part.getSize() << ", not " << size;
  if (getActions().size() != getNumResults())
    return emitOpError("has ") << getNumResults() << " results and " << getActions().size() << " actions";
  ValueTypeRange<Region::BlockArgListType> arguments = getBody().getArgumentTypes();
  auto position = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  if (arguments.size() != 1 || arguments.front() != position)
    return emitOpError("the body must have one argument, the position, a ") << position;
  return verifyAxisIsNew(*this);
}

/// Whether the combiner exists for the element type: bitwise ones take integers only, and complex numbers have no
/// maximum or minimum.
static bool canCombine(Combiner combiner, Type element) {
  switch (combiner) {
  case Combiner::Add:
  case Combiner::Multiply:
    return true;
  case Combiner::Maximum:
  case Combiner::Minimum:
    return element.isIntOrFloat();
  case Combiner::And:
  case Combiner::Or:
  case Combiner::Xor:
    return element.isInteger();
  }
  llvm_unreachable("unknown combiner");
}

/// A result that is not tiled has the type of its pieces.
static LogicalResult verifyUncut(function_ref<InFlightDiagnostic()> error, Type result, Type piece, Attribute action) {
  if (result != piece)
    return error() << "the pieces are " << piece << ", the result is " << result << " and not tiled";
  auto sum = dyn_cast<SumAttr>(action);
  Type element = cast<RankedTensorType>(result).getElementType();
  if (sum && !canCombine(sum.getCombiner(), element))
    return error() << "sum<" << stringifyCombiner(sum.getCombiner()) << "> cannot combine elements of type " << element;
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("the body must end in part.yield");
  if (yield.getPieces().size() != getNumResults())
    return yield.emitOpError("gives ") << yield.getPieces().size() << " pieces to a loop of " << getNumResults()
                                       << " results";
  for (auto [index, result, piece, action] :
       llvm::enumerate(getResultTypes(), yield.getPieces().getTypes(), getActions())) {
    auto error = [&, index = index] { return emitOpError("result ") << index << ": "; };
    auto tile = dyn_cast<TileAttr>(action);
    if (failed(tile ? verifyPiece(error, result, piece, tile.getDim(), *this)
                    : verifyUncut(error, result, piece, action)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state, Value whole, int64_t dim, BlockArgument position) {
  auto loop = cast<LoopOp>(position.getOwner()->getParentOp());
  RankedTensorType piece = getPieceType(cast<RankedTensorType>(whole.getType()), dim, loop.getSize());
  assert(piece && "the loop's size must divide the dim");
  state.addTypes(piece);
  state.addOperands({whole, position});
  state.getOrAddProperties<Properties>().dim = builder.getI64IntegerAttr(dim);
}

LoopOp SliceOp::findLoop() {
  auto argument = dyn_cast<BlockArgument>(getPosition());
  return argument ? dyn_cast_or_null<LoopOp>(argument.getOwner()->getParentOp()) : LoopOp();
}

LogicalResult SliceOp::verify() {
  LoopOp loop = findLoop();
  if (!loop)
    return emitOpError("slices at the position of an enclosing part.loop, not at another value");
  return verifyPiece([&] { return emitOpError(); }, getWhole().getType(), getPiece().getType(), getDim(), loop);
}

} // namespace partita::part
