//===- RelationCheck.cpp - a local program, checked without running it ----===//

#include "partita/Evaluate/Relation/RelationCheck.h"

#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Evaluate/Relation/CollectiveForms.h"
#include "partita/Evaluate/Relation/OpMatcher.h"
#include "partita/Program/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// Bodies of loops are gone through until what they carry has a form; so often at most: a value may come to all places
/// that are carried, one after the other.
constexpr size_t maxPasses = 16;

class RelationChecker {
public:
  RelationChecker(Block &original, ArrayRef<Digit> axes, const UserRules &userRules)
      : numbering(original), numDevices(countParts(axes)), collectives(axes), matcher(numbering, facts, userRules) {}

  void setArgument(Value local, Value original, Form form) {
    facts.relations[local] = {numbering.get(original), std::move(form)};
  }
  /// Goes through a block of the local program that stands for `original`.
  Status checkBlock(Block &original, Block &local);
  /// An error unless `local` is a piece of `original`; gives its form.
  Result<Form> expect(Value local, Value original, Operation *user);

private:
  Status checkOp(Operation *op);
  Status checkCollective(Operation *op);
  bool checkSlice(stablehlo::DynamicSliceOp op);
  void checkConstant(stablehlo::ConstantOp op);
  /// A value whose elements are equal along the number's uniform dims, and whole otherwise.
  void setWhole(Value local, ValueNumber number);
  bool computeIndex(Operation *op);
  void checkOther(Operation *op);
  bool isEmpty(Operation *op);
  bool mayStandFor(Operation *local, Operation *original) const;

  Status checkWhile(stablehlo::WhileOp original, stablehlo::WhileOp local);
  /// One pass over condition and body; `forms` become those that the body gives back.
  Status checkLoopBlocks(stablehlo::WhileOp original, stablehlo::WhileOp local, SmallVectorImpl<Form> &forms);
  Status checkBranches(Operation *original, Operation *local);
  /// Its value decides which ops are run: it must be whole.
  Status expectPredicate(Value local, Value original, Operation *user);

  Error explain(Value local, Operation *user);

  Numbering numbering;
  int64_t numDevices;
  LocalFacts facts;
  CollectiveForms collectives;
  OpMatcher matcher;
  /// Why ops stand for no op of the original, where something is known.
  llvm::DenseMap<Operation *, std::string> reasons;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The op that went wrong is the first one without a relation for which there is a reason.
Error RelationChecker::explain(Value local, Operation *user) {
  Operation *found = nullptr;
  llvm::SetVector<Value> seen;
  seen.insert(local);
  for (size_t next = 0; next < seen.size() && next < 1024; ++next) {
    Operation *op = seen[next].getDefiningOp();
    if (!op || facts.findRelation(seen[next]) || facts.findIndex(seen[next]))
      continue;
    if (auto reason = reasons.find(op); reason != reasons.end() && (!found || op->isBeforeInBlock(found)))
      found = op->getBlock() == user->getBlock() ? op : found;
    seen.insert(op->operand_begin(), op->operand_end());
  }
  Operation *op = found ? found : local.getDefiningOp() ? local.getDefiningOp() : user;
  auto reason = reasons.find(op);
  return Error::badInput(
      placeOf(op), "what '" + op->getName().getStringRef().str() + "' gives is no piece of a value of the original" +
                       (reason == reasons.end() || reason->second.empty() ? "" : ": " + reason->second));
}

Result<Form> RelationChecker::expect(Value local, Value original, Operation *user) {
  const Relation *relation = facts.findRelation(local);
  if (!relation)
    return explain(local, user);
  if (relation->number != numbering.get(original))
    return Error::badInput(placeOf(user), "'" + user->getName().getStringRef().str() +
                                              "' takes another value than the original does there");
  return relation->form;
}

Status RelationChecker::expectPredicate(Value local, Value original, Operation *user) {
  Result<Form> form = expect(local, original, user);
  if (!form)
    return form.error();
  if (form->isPartial())
    return Error::badInput(placeOf(user), "a partial value, " + printForm(*form) + ", decides what is run");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The integer of a scalar constant; nothing for i1, whose sum is a choice, and for those beyond 64 bits.
static std::optional<int64_t> readIndex(const APInt &value, RankedTensorType type) {
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  if (value.getBitWidth() == 1 || (isUnsigned ? value.getActiveBits() > 63 : value.getSignificantBits() > 64))
    return std::nullopt;
  return isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
}

void RelationChecker::checkConstant(stablehlo::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
      dense && type.getRank() == 0 && isa<IntegerType>(type.getElementType()))
    if (std::optional<int64_t> value = readIndex(dense.getSplatValue<APInt>(), type))
      facts.indices[op] = IndexExpression(*value);
  if (std::optional<ValueNumber> number = numbering.findConstant(op.getValue()))
    setWhole(op, *number);
}

void RelationChecker::setWhole(Value local, ValueNumber number) {
  Form form(cast<RankedTensorType>(local.getType()).getRank());
  for (unsigned dim : numbering.getUniformDims(number).set_bits())
    form.dims[dim].isUniform = true;
  form.isZero = numbering.isZero(number);
  facts.relations[local] = {number, std::move(form)};
}

/// Arithmetic on scalars that depend on the device's number.
bool RelationChecker::computeIndex(Operation *op) {
  if (isa<stablehlo::PartitionIdOp>(op)) {
    facts.indices[op->getResult(0)] = IndexExpression::makeNumber(numDevices);
    return true;
  }
  SmallVector<const IndexExpression *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(facts.findIndex(operand));
  if (operands.empty() || llvm::is_contained(operands, nullptr))
    return false;
  std::optional<IndexExpression> result =
      llvm::TypeSwitch<Operation *, std::optional<IndexExpression>>(op)
          .Case([&](stablehlo::ConvertOp) { return *operands[0]; })
          .Case([&](stablehlo::AddOp) { return operands[0]->add(*operands[1]); })
          .Case([&](stablehlo::MulOp) { return operands[0]->multiply(*operands[1]); })
          .Case([&](stablehlo::DivOp) { return operands[0]->divide(operands[1]->getConstant().value_or(0)); })
          .Case([&](stablehlo::RemOp) { return operands[0]->remainder(operands[1]->getConstant().value_or(0)); })
          .Default(std::nullopt);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto integer = type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  if (!result || !integer || integer.getWidth() == 1 || !result->fits(integer.getWidth(), integer.isUnsigned()))
    return false;
  facts.indices[op->getResult(0)] = *result;
  return !result->getConstant();
}

Status RelationChecker::checkCollective(Operation *op) {
  const Relation *relation = op->getNumOperands() == 1 ? facts.findRelation(op->getOperand(0)) : nullptr;
  if (!relation)
    return explain(op->getOperand(0), op);
  Result<Form> form = collectives.apply(op, relation->form);
  if (!form)
    return form.error();
  facts.relations[op->getResult(0)] = {relation->number, std::move(*form)};
  return std::nullopt;
}

/// A slice at an offset that depends on the device's number; false if it is another one.
bool RelationChecker::checkSlice(stablehlo::DynamicSliceOp op) {
  const Relation *relation = facts.findRelation(op.getOperand());
  SmallVector<IndexExpression> starts;
  bool dependsOnDevice = false;
  for (Value start : op.getStartIndices()) {
    const IndexExpression *index = facts.findIndex(start);
    if (!index)
      return false;
    dependsOnDevice |= !index->getConstant();
    starts.push_back(*index);
  }
  if (!relation || !dependsOnDevice)
    return false;
  Result<Form> form = applySlice(op, relation->form, starts,
                                 cast<RankedTensorType>(op.getOperand().getType()).getShape(), op.getSliceSizes());
  if (form)
    facts.relations[op.getResult()] = {relation->number, std::move(*form)};
  else
    reasons[op] = form.error().reason;
  return static_cast<bool>(form);
}

void RelationChecker::checkOther(Operation *op) {
  std::string why;
  auto relations = matcher.match(op, why);
  if (!relations) {
    reasons[op] = std::move(why);
    return;
  }
  for (auto [result, relation] : llvm::zip_equal(op->getResults(), *relations))
    if (relation)
      facts.relations[result] = std::move(*relation);
}

/// Tensors without elements need no check.
bool RelationChecker::isEmpty(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  for (Value result : op->getResults())
    if (!numbering.findEmpty(result.getType()))
      return false;
  for (Value result : op->getResults())
    setWhole(result, *numbering.findEmpty(result.getType()));
  return true;
}

Status RelationChecker::checkOp(Operation *op) {
  for (Value result : op->getResults()) {
    facts.relations.erase(result);
    facts.indices.erase(result);
  }
  if (isEmpty(op))
    return std::nullopt;
  if (isPassing(op)) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      if (const Relation *relation = facts.findRelation(operand)) {
        Relation copy = *relation;
        facts.relations[result] = std::move(copy);
      }
    return std::nullopt;
  }
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    checkConstant(constant);
    return std::nullopt;
  }
  if (isCollective(op))
    return checkCollective(op);
  if (computeIndex(op))
    return std::nullopt;
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op); slice && checkSlice(slice))
    return std::nullopt;
  checkOther(op);
  return std::nullopt;
}

/// Loops and branches stand in the same order; those of the original whose results nobody uses may be left out.
bool RelationChecker::mayStandFor(Operation *local, Operation *original) const {
  return local->getName() == original->getName() && local->getNumResults() == original->getNumResults() &&
         local->getNumOperands() == original->getNumOperands() &&
         llvm::all_of_zip(local->getOperands(), original->getOperands(), [&](Value own, Value other) {
           const Relation *relation = facts.findRelation(own);
           return !relation || relation->number == numbering.get(other);
         });
}

Status RelationChecker::checkBlock(Block &original, Block &local) {
  auto next = original.begin();
  for (Operation &op : local.without_terminator()) {
    if (!isStructured(&op)) {
      if (Status error = checkOp(&op))
        return error;
      continue;
    }
    next = std::find_if(next, original.end(), [&](Operation &other) { return mayStandFor(&op, &other); });
    if (next == original.end())
      return Error::badInput(placeOf(&op),
                             "the original has no '" + op.getName().getStringRef().str() + "' on these values here");
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    Status error = loop ? checkWhile(cast<stablehlo::WhileOp>(*next), loop) : checkBranches(&*next, &op);
    if (error)
      return error;
    ++next;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

Status RelationChecker::checkLoopBlocks(stablehlo::WhileOp original, stablehlo::WhileOp local,
                                        SmallVectorImpl<Form> &forms) {
  auto bind = [&](mlir::Region &region, mlir::Region &originalRegion) {
    for (auto [argument, value, form] : llvm::zip_equal(region.getArguments(), originalRegion.getArguments(), forms))
      setArgument(argument, value, form);
  };
  Block &condition = original.getCond().front(), &localCondition = local.getCond().front();
  bind(local.getCond(), original.getCond());
  if (Status error = checkBlock(condition, localCondition))
    return error;
  Operation *end = localCondition.getTerminator();
  if (Status error = expectPredicate(end->getOperand(0), condition.getTerminator()->getOperand(0), end))
    return error;
  Block &body = original.getBody().front(), &localBody = local.getBody().front();
  bind(local.getBody(), original.getBody());
  if (Status error = checkBlock(body, localBody))
    return error;
  end = localBody.getTerminator();
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Result<Form> form = expect(end->getOperand(index), value, end);
    if (!form)
      return form.error();
    forms[index] = std::move(*form);
  }
  return std::nullopt;
}

static bool isSame(const Form &a, const Form &b) { return printForm(a) == printForm(b) && a.isZero == b.isZero; }

Status RelationChecker::checkWhile(stablehlo::WhileOp original, stablehlo::WhileOp local) {
  SmallVector<Form> initial;
  for (auto [value, from] : llvm::zip_equal(local->getOperands(), original->getOperands())) {
    Result<Form> form = expect(value, from, local);
    if (!form)
      return form.error();
    initial.push_back(std::move(*form));
  }
  SmallVector<Form> forms = initial;
  for (size_t pass = 0; pass < std::min(maxPasses, forms.size() + 3); ++pass) {
    SmallVector<Form> yielded = forms;
    if (Status error = checkLoopBlocks(original, local, yielded))
      return error;
    bool isStable = true;
    for (auto [index, form] : llvm::enumerate(forms)) {
      std::optional<Form> both = unifyForms(initial[index], yielded[index]);
      if (!both)
        return Error::badInput(placeOf(local), "carried value " + std::to_string(index) + " starts as " +
                                                   printForm(initial[index]) + " and comes back as " +
                                                   printForm(yielded[index]));
      isStable = isStable && isSame(*both, form);
      form = std::move(*both);
    }
    if (!isStable)
      continue;
    for (auto [result, value, form] : llvm::zip_equal(local->getResults(), original->getResults(), forms))
      setArgument(result, value, form);
    return std::nullopt;
  }
  return Error::badInput(placeOf(local), "what the loop carries has no form that its body keeps");
}

Status RelationChecker::checkBranches(Operation *original, Operation *local) {
  if (Status error = expectPredicate(local->getOperand(0), original->getOperand(0), local))
    return error;
  SmallVector<std::optional<Form>> forms(local->getNumResults());
  for (auto [region, localRegion] : llvm::zip_equal(original->getRegions(), local->getRegions())) {
    if (Status error = checkBlock(region.front(), localRegion.front()))
      return error;
    Operation *end = localRegion.front().getTerminator();
    for (auto [index, value] : llvm::enumerate(region.front().getTerminator()->getOperands())) {
      Result<Form> form = expect(end->getOperand(index), value, end);
      if (!form)
        return form.error();
      std::optional<Form> both = forms[index] ? unifyForms(*forms[index], *form) : *form;
      if (!both)
        return Error::badInput(placeOf(local), "result " + std::to_string(index) + " is " + printForm(*forms[index]) +
                                                   " in one branch and " + printForm(*form) + " in another");
      forms[index] = std::move(both);
    }
  }
  for (auto [result, value, form] : llvm::zip_equal(local->getResults(), original->getResults(), forms)) {
    form->isZero = false;
    setArgument(result, value, std::move(*form));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {

/// The manual computation that a local program is, or nothing for the plain program of a single device.
struct LocalBody {
  sdy::ManualComputationOp manual;
  std::optional<DeviceMesh> mesh;
  Digits axes;
};

} // namespace

static Result<LocalBody> findBody(func::FuncOp main) {
  LocalBody body;
  Block &block = main.getBody().front();
  for (Operation &op : block.without_terminator())
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
      body.manual = manual;
  if (!body.manual)
    return body;
  if (!llvm::hasSingleElement(block.without_terminator()) ||
      !llvm::equal(body.manual->getOperands(), block.getArguments()) ||
      !llvm::equal(block.getTerminator()->getOperands(), body.manual->getResults()))
    return Error::unsupported(placeOf(main), "the check knows programs that are one manual computation, no others");
  SmallVector<sdy::TensorShardingAttr> shardings(body.manual.getInShardings().getShardings());
  llvm::append_range(shardings, body.manual.getOutShardings().getShardings());
  sdy::MeshAttr mesh = shardings.empty() ? sdy::MeshAttr() : sdy::lookupCommonMesh(shardings, body.manual);
  if (!mesh || mesh.getTotalSize() > maxDevices)
    return Error::unsupported(placeOf(body.manual), "the manual computation has no mesh, or a huge one");
  body.mesh = DeviceMesh::make(mesh);
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    body.axes.push_back(*body.mesh->findDigit(axis.getName()));
    if (!body.manual.isManual(axis.getName()))
      return Error::unsupported(placeOf(body.manual), "the manual computation is not over all axes of its mesh");
  }
  for (int64_t position = 0; position < body.mesh->getNumDevices(); ++position)
    if (body.mesh->getDevice(position) != position)
      return Error::unsupported(placeOf(body.manual), "the mesh lists its devices in another order than theirs");
  return body;
}

static Result<Form> makeForm(LocalBody &body, sdy::TensorShardingAttr sharding) {
  if (!sharding.getUnreducedAxes().empty())
    return Error::unsupported(placeOf(body.manual), "the check does not know arguments and results that are unreduced");
  Form form(sharding.getDimShardings().size());
  for (auto [dim, dimSharding] : llvm::enumerate(sharding.getDimShardings()))
    for (sdy::AxisRefAttr axis : dimSharding.getAxes()) {
      std::optional<Digit> digit = body.mesh->findDigit(axis);
      if (!digit)
        return Error::badInput(placeOf(body.manual),
                               "the mesh has no axis '" + axis.getName().str() + "' of this size");
      form.dims[dim].digits.push_back(*digit);
    }
  for (DimForm &dim : form.dims)
    dim.digits = joinDigits(dim.digits);
  return form;
}

/// Results must be what the shardings say, which name no partial ones.
static Status checkResult(LocalBody &body, Operation *end, unsigned index, const Form &form) {
  Result<Form> expected = makeForm(body, body.manual.getOutShardings().getShardings()[index]);
  if (!expected)
    return expected.error();
  if (form.isZero || unifyForms(form, *expected))
    return std::nullopt;
  return Error::badInput(placeOf(end), "result " + std::to_string(index) + " is " + printForm(form) +
                                           ", its sharding says " + printForm(*expected));
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Gives the arguments of the local block their relations.
static Status setArguments(RelationChecker &checker, LocalBody &body, Block &original, Block &local) {
  for (auto [index, argument] : llvm::enumerate(local.getArguments())) {
    Form form(isTensor(argument) ? cast<RankedTensorType>(argument.getType()).getRank() : 0);
    if (body.manual && isTensor(argument)) {
      Result<Form> stated = makeForm(body, body.manual.getInShardings().getShardings()[index]);
      if (!stated)
        return stated.error();
      form = std::move(*stated);
    }
    checker.setArgument(argument, original.getArgument(index), std::move(form));
  }
  return std::nullopt;
}

static Status checkResults(RelationChecker &checker, LocalBody &body, Block &original, Block &local) {
  Operation *end = local.getTerminator();
  for (auto [index, value] : llvm::enumerate(original.getTerminator()->getOperands())) {
    Result<Form> form = checker.expect(end->getOperand(index), value, end);
    if (!form)
      return form.error();
    if (body.manual && isTensor(value))
      if (Status error = checkResult(body, end, index, *form))
        return error;
  }
  return std::nullopt;
}

Status checkRelation(ModuleOp original, ModuleOp local, const UserRules &userRules) {
  Result<func::FuncOp> main = findMain(original), localMain = findMain(local);
  if (!main)
    return main.error();
  if (!localMain)
    return localMain.error();
  if (main->getFunctionType() != localMain->getFunctionType())
    return Error::badInput(placeOf(*localMain), "the local program has another signature than the original");
  if (main->getBody().front().walk([](sdy::ManualComputationOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return Error::unsupported(placeOf(*main), "the check does not know programs with manual computations of their own");
  Result<LocalBody> body = findBody(*localMain);
  if (!body)
    return body.error();
  Block &block = main->getBody().front();
  Block &localBlock = body->manual ? body->manual.getBody().front() : localMain->getBody().front();
  RelationChecker checker(block, body->axes, userRules);
  if (Status error = setArguments(checker, *body, block, localBlock))
    return error;
  if (Status error = checker.checkBlock(block, localBlock))
    return error;
  return checkResults(checker, *body, block, localBlock);
}

} // namespace partita::evaluate
