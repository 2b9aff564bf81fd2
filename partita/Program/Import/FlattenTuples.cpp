//===- FlattenTuples.cpp - replaces tuples by their elements --------------===//
//
// Tuple arguments and results of @main become several values. A custom call
// that gives a tuple gives several results instead. Then every
// get_tuple_element finds its element directly.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

using namespace mlir;

namespace partita::program::import {

/// Builds a value of tuple type from its leaves, which `nextLeaf` gives in order.
static Value buildTuple(OpBuilder &builder, Location loc, Type type, function_ref<Value(Type)> nextLeaf) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return nextLeaf(type);
  SmallVector<Value> elements;
  for (Type element : tuple.getTypes())
    elements.push_back(buildTuple(builder, loc, element, nextLeaf));
  return stablehlo::TupleOp::create(builder, loc, type, elements);
}

/// Appends the leaves of `value` to `leaves`.
static void appendLeaves(OpBuilder &builder, Location loc, Value value, SmallVectorImpl<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple) {
    leaves.push_back(value);
    return;
  }
  for (auto [index, type] : llvm::enumerate(tuple.getTypes())) {
    auto index32 = builder.getI32IntegerAttr(index);
    appendLeaves(builder, loc, stablehlo::GetTupleElementOp::create(builder, loc, type, value, index32), leaves);
  }
}

/// `loc("x")` to `loc("x[2]")`.
static Location nameLeaf(Location loc, size_t index) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  auto text = StringAttr::get(loc.getContext(), name.getName().getValue() + "[" + Twine(index) + "]");
  return NameLoc::get(text, name.getChildLoc());
}

/// Replaces each tuple argument by arguments for its leaves.
static LogicalResult flattenArguments(func::FuncOp main) {
  Block &body = main.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (unsigned index = 0; index < main.getNumArguments();) {
    BlockArgument argument = main.getArgument(index);
    if (!isa<TupleType>(argument.getType())) {
      ++index;
      continue;
    }
    unsigned next = index + 1;
    Location loc = argument.getLoc();
    bool ok = true;
    auto insertLeaf = [&](Type type) -> Value {
      ok &= succeeded(main.insertArgument(next, type, {}, nameLeaf(loc, next - index - 1)));
      return main.getArgument(next++);
    };
    Value tuple = buildTuple(builder, loc, argument.getType(), insertLeaf);
    argument.replaceAllUsesWith(tuple);
    if (!ok || failed(main.eraseArgument(index)))
      return failure();
    index = next - 1;
  }
  return success();
}

/// Returns the leaves of returned tuples.
static void flattenResults(func::FuncOp main) {
  auto returnOp = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  if (llvm::none_of(returnOp.getOperandTypes(), llvm::IsaPred<TupleType>))
    return;
  OpBuilder builder(returnOp);
  SmallVector<Value> leaves;
  SmallVector<DictionaryAttr> attributes;
  for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
    appendLeaves(builder, returnOp.getLoc(), value, leaves);
    bool isTuple = isa<TupleType>(value.getType());
    attributes.resize(leaves.size(), DictionaryAttr::get(main.getContext()));
    if (!isTuple)
      attributes.back() = DictionaryAttr::get(main.getContext(), main.getResultAttrs(index));
  }
  returnOp->setOperands(leaves);
  auto types = llvm::map_to_vector(leaves, [](Value leaf) { return leaf.getType(); });
  main.setFunctionType(FunctionType::get(main.getContext(), main.getArgumentTypes(), types));
  main.setAllResultAttrs(attributes);
}

/// Lets a custom call that gives one tuple give its leaves instead, and builds the tuple from them for its users.
static void flattenCallResults(stablehlo::CustomCallOp call) {
  if (call->getNumResults() != 1 || !isa<TupleType>(call->getResult(0).getType()))
    return;
  OpBuilder builder(call);
  SmallVector<Type> leafTypes;
  auto tuple = cast<TupleType>(call->getResult(0).getType());
  tuple.getFlattenedTypes(leafTypes);
  OperationState state(call.getLoc(), call->getName(), call->getOperands(), leafTypes,
                       llvm::to_vector(call->getDiscardableAttrs()));
  state.propertiesAttr = call->getPropertiesAsAttribute();
  Operation *flat = builder.create(state);
  unsigned next = 0;
  Value made = buildTuple(builder, call.getLoc(), tuple, [&](Type) -> Value { return flat->getResult(next++); });
  call->getResult(0).replaceAllUsesWith(made);
  call->erase();
}

Status flattenTuples(func::FuncOp main) {
  if (failed(flattenArguments(main)))
    return Error::internal("cannot replace the tuple arguments of @main");
  flattenResults(main);
  main.walk([](stablehlo::CustomCallOp call) { flattenCallResults(call); });
  // Definitions precede uses, so one sweep in program order also resolves nested tuples.
  main.walk<WalkOrder::PreOrder>([](stablehlo::GetTupleElementOp get) {
    if (auto made = get.getOperand().getDefiningOp<stablehlo::TupleOp>()) {
      get.getResult().replaceAllUsesWith(made->getOperand(get.getIndex()));
      get.erase();
    }
  });
  Status error;
  main.walk([&](Operation *op) {
    bool takesTuple = !isa<stablehlo::TupleOp>(op) && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TupleType>);
    if (takesTuple && !error)
      error = Error::unsupported(locationOf(op), "'" + op->getName().getStringRef().str() + "' takes a tuple")
                  .withRemedy("give its elements as operands of their own");
  });
  return error;
}

} // namespace partita::program::import
