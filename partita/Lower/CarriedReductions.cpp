//===- CarriedReductions.cpp - reductions a loop makes an iteration later -===//

#include "partita/Lower/CarriedReductions.h"

#include "partita/Lower/CarriedValues.h"
#include "partita/Program/Effects.h"
#include "partita/Program/OpTraits.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::lower {

namespace {

/// What a value would be if what is reduced were zero: zeros, what the loop carries at a number, or a slice of that.
struct Given {
  enum class Kind : uint8_t { Other, Zero, State, Slice };

  Kind kind = Kind::Other;
  unsigned state = 0;
  Operation *slice = nullptr;
  bool operator==(const Given &) const = default;
};

const Given zero{Given::Kind::Zero, 0, nullptr};

class ReductionCarrier {
public:
  ReductionCarrier(stablehlo::WhileOp loop, ArrayRef<LoopReduction> reductions)
      : loop(loop), body(loop.getBody().front()), reductions(reductions) {}

  /// Whether the suffix can come an iteration later.
  bool prepare();
  /// Whether the suffix gives the next iteration its own of this value, which the loop carries.
  bool isState(Value value) const;
  CarriedLoop run(Value middle, Value changing);

private:
  // What is carried.
  bool addReductions();
  bool addSuffix();
  bool addOperands();
  bool addSlice(Value value);
  bool isFree(Value value) const;
  bool addFree(Value value);
  bool isOwn(unsigned state);
  Given find(Value value);
  Given compute(Operation *op);
  bool keepsStates();

  // The new loop.
  void addArguments();
  SmallVector<Value> makeFirst(OpBuilder &builder);
  void emit(OpBuilder &builder, ArrayRef<Operation *> ops, IRMapping &mapping) const;
  Value emitBarrier(OpBuilder &builder, Value middle, Value changing, IRMapping &mapping);
  Value emitInBody(Value middle, Value changing);
  stablehlo::WhileOp replaceLoop();

  stablehlo::WhileOp loop;
  Block &body;
  ArrayRef<LoopReduction> reductions;
  llvm::SetVector<Operation *> chains, suffix;
  /// Constants and the like that the suffix takes.
  llvm::SetVector<Operation *> free;
  /// What it takes besides.
  llvm::SetVector<Value> taken;
  std::map<unsigned, Value> yields;
  llvm::DenseMap<Value, Given> given;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is carried
//===----------------------------------------------------------------------===//

static bool isReduction(Operation *op) { return isa<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op); }

static bool isSmall(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= 64;
}

bool ReductionCarrier::addReductions() {
  for (const LoopReduction &each : reductions)
    for (Value value = each.reduced; value != each.unreduced;) {
      Operation *op = value.getDefiningOp();
      bool isStep = op && op->getBlock() == &body && op->getNumOperands() == 1 &&
                    (isReduction(op) || isa<stablehlo::ReshapeOp>(op));
      if (!isStep)
        return false;
      chains.insert(op);
      value = op->getOperand(0);
    }
  return true;
}

/// Adds all that depends on what is reduced.
bool ReductionCarrier::addSuffix() {
  SmallVector<Operation *> left(chains.getArrayRef());
  while (!left.empty())
    for (OpOperand &use : left.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      if (user == body.getTerminator()) {
        yields[use.getOperandNumber()] = use.get();
        continue;
      }
      bool isPlain = user->getBlock() == &body && user->getNumRegions() == 0 && user->getNumResults() == 1 &&
                     program::mayRunAgain(user);
      if (chains.contains(user))
        continue;
      if (!isPlain)
        return false;
      if (suffix.insert(user))
        left.push_back(user);
    }
  return true;
}

bool ReductionCarrier::isState(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &body && yields.contains(argument.getArgNumber());
}

/// Whether a value is computed from nothing that the loop carries.
bool ReductionCarrier::isFree(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !body.findAncestorOpInBlock(*op))
    return op != nullptr;
  return op->getBlock() == &body && op->getNumRegions() == 0 && program::mayRunAgain(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isFree(operand); });
}

/// Adds the ops that compute a value, if it is free.
bool ReductionCarrier::addFree(Value value) {
  if (!isFree(value))
    return false;
  Operation *op = value.getDefiningOp();
  if (body.findAncestorOpInBlock(*op) && free.insert(op))
    llvm::for_each(op->getOperands(), [&](Value operand) { addFree(operand); });
  return true;
}

/// Adds the op that reads a slice of what the loop carries for the suffix; false if the value is something else.
bool ReductionCarrier::addSlice(Value value) {
  auto op = value.getDefiningOp<stablehlo::DynamicSliceOp>();
  auto isOfSuffix = [&](Operation *user) { return suffix.contains(user); };
  bool isOwnSlice =
      op && op->getBlock() == &body && isState(op.getOperand()) && llvm::all_of(op->getUsers(), isOfSuffix);
  return isOwnSlice && suffix.insert(op);
}

bool ReductionCarrier::addOperands() {
  // Slices join the suffix.
  for (size_t number = 0; number < suffix.size();)
    for (Value value : suffix[number++]->getOperands()) {
      Operation *made = value.getDefiningOp();
      bool isOutside = !body.getParent()->isAncestor(value.getParentRegion());
      bool isMade = made && (suffix.contains(made) || chains.contains(made));
      if (isOutside || isState(value) || isMade || addFree(value) || addSlice(value))
        continue;
      if (!isSmall(value))
        return false;
      taken.insert(value);
    }
  return true;
}

/// Whether a barrier takes the value, and nothing takes that from it: gathers are kept in their loop so.
static bool isTimeOnly(OpOperand &use) {
  auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(use.getOwner());
  return barrier && barrier->getResult(use.getOperandNumber()).use_empty();
}

/// Whether the loop carries the value for the suffix alone.
bool ReductionCarrier::isOwn(unsigned state) {
  auto isOfSuffix = [&](OpOperand &use) { return suffix.contains(use.getOwner()) || isTimeOnly(use); };
  return llvm::all_of(loop.getCond().front().getArgument(state).getUses(), isTimeOnly) &&
         llvm::all_of(body.getArgument(state).getUses(), isOfSuffix);
}

/// Whether the op gives zeros if all that it takes are zeros.
static bool keepsZeros(Operation *op) {
  Linearity linearity = program::findLinearity(op);
  return op->getNumOperands() > 0 && (linearity == Linearity::Sum || isa<stablehlo::ConvertOp>(op) ||
                                      (linearity == Linearity::First && op->getNumOperands() == 1));
}

/// Zeros, moved or not.
static bool isZero(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (program::findLinearity(op) == Linearity::Zero)
    return true;
  return keepsZeros(op) && llvm::all_of(op->getOperands(), [&](Value operand) { return isZero(operand, depth + 1); });
}

Given ReductionCarrier::find(Value value) {
  if (auto found = given.find(value); found != given.end())
    return found->second;
  if (isState(value)) {
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    return isZero(loop.getOperand()[number]) ? zero : Given{Given::Kind::State, number, nullptr};
  }
  return isZero(value) ? zero : Given();
}

/// Whether it writes a slice to where it was read. Where all of a dim is read, the index does not matter.
static bool writesBack(stablehlo::DynamicUpdateSliceOp write, stablehlo::DynamicSliceOp slice) {
  ArrayRef<int64_t> whole = write.getOperand().getType().getShape(), part = slice.getType().getShape();
  return llvm::all_of(llvm::seq(whole.size()), [&](size_t dim) {
    return whole[dim] == part[dim] || slice.getStartIndices()[dim] == write.getStartIndices()[dim];
  });
}

Given ReductionCarrier::compute(Operation *op) {
  auto isZeroOperand = [&](Value operand) { return find(operand).kind == Given::Kind::Zero; };
  if (keepsZeros(op) && llvm::all_of(op->getOperands(), isZeroOperand))
    return zero;
  if (isa<stablehlo::AddOp>(op) && llvm::any_of(op->getOperands(), isZeroOperand))
    return find(op->getOperand(isZeroOperand(op->getOperand(0)) ? 1 : 0));
  auto write = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
  if (!write && !isa<stablehlo::DynamicSliceOp>(op))
    return {};
  Given first = find(op->getOperand(0));
  if (!write)
    return first.kind == Given::Kind::State ? Given{Given::Kind::Slice, first.state, op} : first;
  Given second = find(write.getUpdate());
  bool keepsZero = first.kind == Given::Kind::Zero && second == first;
  bool keepsState = first.kind == Given::Kind::State && second.kind == Given::Kind::Slice &&
                    second.state == first.state && writesBack(write, cast<stablehlo::DynamicSliceOp>(second.slice));
  return keepsZero || keepsState ? first : Given();
}

/// Whether what the loop carries stays as it is if zeros are reduced.
bool ReductionCarrier::keepsStates() {
  for (const LoopReduction &each : reductions)
    given[each.reduced] = zero;
  for (Operation *op : suffix)
    given[op->getResult(0)] = compute(op);
  return llvm::all_of(yields, [&](const auto &each) {
    Given first = find(body.getArgument(each.first));
    return first == find(each.second) && isOwn(each.first);
  });
}

static void sort(llvm::SetVector<Operation *> &ops) {
  SmallVector<Operation *> order = ops.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops.insert(order.begin(), order.end());
}

bool ReductionCarrier::prepare() {
  if (!addReductions() || !addSuffix() || !addOperands() || yields.empty())
    return false;
  for (llvm::SetVector<Operation *> *ops : {&chains, &suffix, &free})
    sort(*ops);
  return keepsStates();
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

static Value makeZeros(OpBuilder &builder, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto complex = dyn_cast<ComplexType>(tensor.getElementType())) {
    APFloat zero(cast<FloatType>(complex.getElementType()).getFloatSemantics());
    auto zeros = DenseElementsAttr::get(tensor, std::complex<APFloat>(zero, zero));
    return stablehlo::ConstantOp::create(builder, loc, zeros);
  }
  return stablehlo::ConstantOp::create(builder, loc, cast<ElementsAttr>(builder.getZeroAttr(tensor)));
}

/// What the first iteration reduces, and where it writes that.
SmallVector<Value> ReductionCarrier::makeFirst(OpBuilder &builder) {
  SmallVector<Value> first;
  for (const LoopReduction &each : reductions)
    first.push_back(makeZeros(builder, loop.getLoc(), each.unreduced.getType()));
  for (Value value : taken)
    first.push_back(makeZeros(builder, loop.getLoc(), value.getType()));
  return first;
}

void ReductionCarrier::emit(OpBuilder &builder, ArrayRef<Operation *> ops, IRMapping &mapping) const {
  for (Operation *op : ops)
    builder.clone(*op, mapping);
}

/// Puts a barrier behind the middle that waits for what is reduced. Returns the small value that passes it, if there is
/// one.
Value ReductionCarrier::emitBarrier(OpBuilder &builder, Value middle, Value changing, IRMapping &mapping) {
  SmallVector<Value> passed{middle};
  for (const LoopReduction &each : reductions)
    passed.push_back(mapping.lookup(each.reduced));
  if (changing)
    passed.push_back(changing);
  builder.setInsertionPointAfterValue(middle);
  auto barrier =
      stablehlo::OptimizationBarrierOp::create(builder, middle.getLoc(), TypeRange(ValueRange(passed)), passed);
  for (auto [each, result] : llvm::zip_equal(reductions, barrier->getResults().slice(1, reductions.size())))
    mapping.map(each.reduced, result);
  middle.replaceAllUsesExcept(barrier->getResult(0), barrier);
  return changing ? Value(barrier->getResults().back()) : Value();
}

/// Puts reductions at the beginning of the body, and the suffix behind the middle, or behind them if there is none.
/// Returns the small value that passes the barrier, if there is one.
Value ReductionCarrier::emitInBody(Value middle, Value changing) {
  IRMapping mapping;
  unsigned number = loop->getNumResults();
  for (const LoopReduction &each : reductions)
    mapping.map(each.unreduced, body.getArgument(number++));
  for (Value value : taken)
    mapping.map(value, body.getArgument(number++));
  OpBuilder builder(&body, body.begin());
  emit(builder, chains.getArrayRef(), mapping);
  Value token = middle ? emitBarrier(builder, middle, changing, mapping) : Value();
  emit(builder, free.getArrayRef(), mapping);
  emit(builder, suffix.getArrayRef(), mapping);
  for (auto [state, value] : yields)
    body.getTerminator()->setOperand(state, mapping.lookup(value));
  return token;
}

stablehlo::WhileOp ReductionCarrier::replaceLoop() {
  OpBuilder builder(loop);
  SmallVector<Value> yielded(body.getTerminator()->getOperands());
  for (const LoopReduction &each : reductions)
    yielded.push_back(each.unreduced);
  llvm::append_range(yielded, taken);
  body.getTerminator()->setOperands(yielded);
  return addCarried(loop, makeFirst(builder));
}

void ReductionCarrier::addArguments() {
  auto add = [&](Value value) {
    loop.getCond().front().addArgument(value.getType(), value.getLoc());
    body.addArgument(value.getType(), value.getLoc());
  };
  for (const LoopReduction &each : reductions)
    add(each.unreduced);
  llvm::for_each(taken, add);
}

CarriedLoop ReductionCarrier::run(Value middle, Value changing) {
  unsigned first = loop->getNumResults();
  CarriedLoop made;
  addArguments();
  made.token = emitInBody(middle, changing);
  made.loop = replaceLoop();
  IRMapping mapping;
  for (auto [state, value] : yields)
    mapping.map(body.getArgument(state), made.loop->getResult(state));
  for (const LoopReduction &each : reductions)
    mapping.map(each.unreduced, made.loop->getResult(first++));
  for (Value value : taken)
    mapping.map(value, made.loop->getResult(first++));
  OpBuilder builder(made.loop->getContext());
  builder.setInsertionPointAfter(made.loop);
  for (const llvm::SetVector<Operation *> *ops : {&chains, &free, &suffix})
    emit(builder, ops->getArrayRef(), mapping);
  made.last = &*std::prev(builder.getInsertionPoint());
  for (auto [state, value] : yields)
    made.completed[state] = mapping.lookup(value);
  for (const llvm::SetVector<Operation *> *ops : {&suffix, &chains, &free})
    for (Operation *op : llvm::reverse(*ops))
      if (op->use_empty())
        op->erase();
  return made;
}

std::optional<CarriedLoop> carryReductions(stablehlo::WhileOp loop, ArrayRef<LoopReduction> reductions, Value middle,
                                           Value changing) {
  ReductionCarrier carrier(loop, reductions);
  if (!carrier.prepare())
    return std::nullopt;
  return carrier.run(middle, changing && isSmall(changing) && !carrier.isState(changing) ? changing : Value());
}

} // namespace partita::lower
