//===- RolledNumbers.cpp - which values of two programs are the same ------===//

#include "partita/Pipeline/RolledNumbers.h"

#include "partita/Program/Effects.h"
#include "partita/Program/Loops.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

/// What a key begins with. Ops have the address of their name there, which is none of these.
enum KeyKind : uintptr_t { Argument = 1, Integer, Reshaped, Sliced, Joined, InnerValue, OuterValue, RegionEnd };

} // namespace

static uintptr_t toKey(Type type) { return reinterpret_cast<uintptr_t>(type.getAsOpaquePointer()); }

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

unsigned RolledNumbers::get(Key key, Type type) {
  auto [it, isNew] = known.try_emplace(std::move(key), facts.size());
  if (isNew)
    facts.push_back({.type = type});
  return it->second;
}

//===----------------------------------------------------------------------===//
// Values that are seen through
//===----------------------------------------------------------------------===//

unsigned RolledNumbers::number(int64_t integer, Type type) {
  unsigned made = get({Integer, uintptr_t(integer), toKey(type)}, type);
  facts[made].integer = integer;
  return made;
}

unsigned RolledNumbers::reshape(unsigned value, RankedTensorType type) {
  if (facts[value].type == type)
    return value;
  if (std::optional<unsigned> before = facts[value].reshaped)
    return reshape(*before, type);
  unsigned made = get({Reshaped, value, toKey(type)}, type);
  facts[made].reshaped = value;
  return made;
}

unsigned RolledNumbers::slice(unsigned value, int64_t start, RankedTensorType type) {
  if (facts[value].type == type)
    return value;
  int64_t size = type.getDimSize(0);
  if (!facts[value].parts.empty()) {
    SmallVector<unsigned> parts(ArrayRef(facts[value].parts).slice(start, size));
    return size == 1 ? parts.front() : join(parts, type);
  }
  if (std::optional<unsigned> before = facts[value].sliced)
    return slice(*before, facts[value].start + start, type);
  unsigned made = get({Sliced, value, uintptr_t(start), toKey(type)}, type);
  facts[made].sliced = value;
  facts[made].start = start;
  return made;
}

unsigned RolledNumbers::join(ArrayRef<unsigned> parts, RankedTensorType type) {
  if (parts.size() == 1)
    return parts.front();
  Key key{Joined, toKey(type)};
  key.insert(key.end(), parts.begin(), parts.end());
  unsigned made = get(std::move(key), type);
  facts[made].parts.assign(parts.begin(), parts.end());
  return made;
}

/// The start along dim 0 of a slice that begins at 0 of all other dims.
std::optional<int64_t> RolledNumbers::findFirst(ValueRange starts) const {
  for (Value start : starts.drop_front())
    if (facts[find(start)].integer != 0)
      return std::nullopt;
  return facts[find(starts.front())].integer;
}

/// Whether `part` is a piece of `whole` along dim 0, from `start` on.
static bool isPiece(RankedTensorType part, RankedTensorType whole, int64_t start) {
  return whole.getRank() > 0 && part.getShape().drop_front() == whole.getShape().drop_front() && start >= 0 &&
         start + part.getDimSize(0) <= whole.getDimSize(0);
}

std::optional<unsigned> RolledNumbers::update(stablehlo::DynamicUpdateSliceOp op) {
  RankedTensorType type = op.getType(), part = getType(op.getUpdate());
  std::optional<int64_t> start = type.getRank() > 0 ? findFirst(op.getStartIndices()) : std::nullopt;
  if (!start || part.getDimSize(0) != 1 || !isPiece(part, type, *start))
    return std::nullopt;
  unsigned before = find(op.getOperand());
  SmallVector<unsigned> parts(facts[before].parts);
  for (int64_t place = 0; parts.size() < size_t(type.getDimSize(0)); ++place)
    parts.push_back(slice(before, place, part));
  parts[*start] = find(op.getUpdate());
  return join(parts, type);
}

/// Indices of layers.
std::optional<unsigned> RolledNumbers::computeInteger(Operation *op) {
  using namespace stablehlo;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() > 0 || !type.getElementType().isInteger(64))
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return number(cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>().getSExtValue(), type);
  if (!isa<AddOp, SubtractOp>(op))
    return std::nullopt;
  std::optional<int64_t> a = facts[find(op->getOperand(0))].integer, b = facts[find(op->getOperand(1))].integer;
  if (!a || !b)
    return std::nullopt;
  int64_t result = 0;
  bool isWrapped = isa<AddOp>(op) ? llvm::AddOverflow(*a, *b, result) : llvm::SubOverflow(*a, *b, result);
  return isWrapped ? std::nullopt : std::optional(number(result, type));
}

std::optional<unsigned> RolledNumbers::seeThrough(Operation *op) {
  using namespace stablehlo;
  if (op->getNumResults() != 1)
    return std::nullopt;
  if (std::optional<unsigned> integer = computeInteger(op))
    return integer;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (auto made = dyn_cast<ReshapeOp>(op))
    return reshape(find(made.getOperand()), type);
  if (auto made = dyn_cast<DynamicUpdateSliceOp>(op))
    return update(made);
  if (auto made = dyn_cast<DynamicSliceOp>(op)) {
    std::optional<int64_t> start = type.getRank() > 0 ? findFirst(made.getStartIndices()) : std::nullopt;
    if (start && isPiece(type, getType(made.getOperand()), *start))
      return slice(find(made.getOperand()), *start, type);
  }
  if (auto made = dyn_cast<SliceOp>(op)) {
    bool isDense = llvm::all_of(made.getStrides(), [](int64_t stride) { return stride == 1; });
    if (type.getRank() > 0 && isDense && isPiece(type, getType(made.getOperand()), made.getStartIndices().front()))
      return slice(find(made.getOperand()), made.getStartIndices().front(), type);
  }
  if (auto made = dyn_cast<ConcatenateOp>(op)) {
    bool isStack = made.getDimension() == 0 &&
                   llvm::all_of(made.getInputs(), [](Value part) { return getType(part).getDimSize(0) == 1; });
    if (isStack)
      return join(llvm::map_to_vector(made.getInputs(), [&](Value part) { return find(part); }), type);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `inside`: values of regions of the op that is numbered, by their order.
void RolledNumbers::addOp(Operation *op, llvm::DenseMap<Value, uintptr_t> &inside, Key &key) {
  key.push_back(reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()));
  key.push_back(reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()));
  for (Type type : op->getResultTypes())
    key.push_back(toKey(type));
  for (Value operand : op->getOperands()) {
    auto found = inside.find(operand);
    key.push_back(found == inside.end() ? OuterValue : InnerValue);
    key.push_back(found == inside.end() ? find(operand) : found->second);
  }
  if (hasEffect(op))
    key.push_back(++numEffects);
  for (mlir::Region &region : op->getRegions())
    addRegion(region, inside, key);
}

void RolledNumbers::addRegion(mlir::Region &region, llvm::DenseMap<Value, uintptr_t> &inside, Key &key) {
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments()) {
      inside.try_emplace(argument, inside.size());
      key.push_back(toKey(argument.getType()));
    }
    for (Operation &op : block) {
      addOp(&op, inside, key);
      for (Value result : op.getResults())
        inside.try_emplace(result, inside.size());
    }
  }
  key.push_back(RegionEnd);
}

void RolledNumbers::numberOp(Operation *op) {
  if (std::optional<unsigned> seen = seeThrough(op)) {
    numbers[op->getResult(0)] = *seen;
    return;
  }
  Key key;
  llvm::DenseMap<Value, uintptr_t> inside;
  addOp(op, inside, key);
  for (OpResult result : op->getResults()) {
    Key own = key;
    own.push_back(result.getResultNumber());
    numbers[result] = get(std::move(own), result.getType());
  }
}

/// Iteration by iteration.
void RolledNumbers::numberLoop(stablehlo::WhileOp loop) {
  std::optional<CountedLoop> counted = analyzeLoop(loop);
  if (!counted)
    return numberOp(loop);
  Block &body = loop.getBody().front();
  SmallVector<unsigned> carried = llvm::map_to_vector(loop->getOperands(), [&](Value value) { return find(value); });
  for (int64_t iteration = 0; iteration < counted->tripCount; ++iteration) {
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), carried))
      numbers[argument] = value;
    for (Operation &op : body.without_terminator())
      numberOp(&op);
    for (auto [next, value] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
      next = find(value);
  }
  for (auto [result, value] : llvm::zip_equal(loop->getResults(), carried))
    numbers[result] = value;
}

SmallVector<unsigned> RolledNumbers::numberResults(func::FuncOp main, const llvm::SetVector<Operation *> &unrolled) {
  numbers.clear();
  numEffects = 0;
  for (BlockArgument argument : main.getArguments())
    numbers[argument] = get({Argument, argument.getArgNumber(), toKey(argument.getType())}, argument.getType());
  Block &block = main.getBody().front();
  for (Operation &op : block.without_terminator()) {
    if (unrolled.contains(&op))
      numberLoop(cast<stablehlo::WhileOp>(op));
    else
      numberOp(&op);
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(), [&](Value value) { return find(value); });
}

} // namespace partita::pipeline
