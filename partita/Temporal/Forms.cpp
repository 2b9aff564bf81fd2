//===- Forms.cpp - whole values, pieces and terms -------------------------===//

#include "partita/Temporal/Forms.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Propagate/PartialSumCarriers.h"

using namespace mlir;

namespace partita::temporal {

static ValueForm makePiece(RowDigit digit) { return {Form::Piece, digit, Combiner::None}; }
static ValueForm makeTerm(Combiner combiner) { return {Form::Partial, {}, combiner}; }

/// Of two values: linear in either.
static bool isProduct(const MicroProgram &program, OpId op) {
  return isa_and_nonnull<stablehlo::MulOp, stablehlo::DotGeneralOp>(program.flattened.origins[op]) &&
         program.graph.ops[op].numUses == 2;
}

static bool isPaddedWithZeros(const MicroProgram &program, OpId op) {
  return isa_and_nonnull<stablehlo::PadOp>(program.flattened.origins[op]) &&
         program.topology.isZero(program.graph.getOperands(op)[1]);
}

bool passesTerm(const MicroProgram &program, const Forms &forms, OpId op, uint32_t operand) {
  if (isPaddedWithZeros(program, op))
    return operand == 0;
  if (!isProduct(program, op))
    return isLinearIn(program.graph.ops[op], operand);
  llvm::ArrayRef<CellId> operands = program.graph.getOperands(op);
  auto isTerm = [&](CellId cell) { return forms.cells[cell] == makeTerm(Combiner::Add); };
  return operand == (isTerm(operands[0]) ? 0 : 1) && isTerm(operands[operand]);
}

ValueForm getNeeded(const MicroProgram &program, const Forms &forms, OpId op, uint32_t operand) {
  if (forms.ops[op] == OpForm::Sum)
    return passesTerm(program, forms, op, operand) ? makeTerm(Combiner::Add) : ValueForm();
  if (forms.ops[op] == OpForm::Whole)
    return {};
  const Rule &rule = program.rules[op];
  std::optional<RowDigit> digit = findDigit(rule, getValue(rule, operand), forms.digits[op]);
  return digit ? makePiece(*digit) : ValueForm();
}

bool isUsable(const ValueForm &given, const ValueForm &needed) { return given.form == Form::Whole || given == needed; }

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {

class FormSearch {
public:
  FormSearch(const MicroProgram &program, const IdVector<OpId, uint8_t> &passesOn)
      : program(program), graph(program.graph), passesOn(passesOn) {
    forms.ops.resize(graph.ops.size(), OpForm::Whole);
    forms.digits.resize(graph.ops.size());
    forms.cells.resize(graph.cells.size());
  }

  Forms run(const Reached &reached);

private:
  void split(OpId op, FactorDigit digit);
  /// Makes `op` pass terms on, if it can and has some. Whether that changed anything.
  bool passTerms(OpId op);
  bool hasTerms(OpId op) const;
  bool entersTerms(OpId op) const;

  const MicroProgram &program;
  const Graph &graph;
  const IdVector<OpId, uint8_t> &passesOn;
  Forms forms;
};

} // namespace

void FormSearch::split(OpId op, FactorDigit digit) {
  forms.ops[op] = OpForm::Split;
  forms.digits[op] = digit;
  const Rule &rule = program.rules[op];
  for (auto [number, cell] : llvm::enumerate(graph.getResults(op))) {
    std::optional<RowDigit> found = findDigit(rule, rule.results[number], digit);
    forms.cells[cell] = found ? makePiece(*found) : makeTerm(rule.factors[digit.factor].combiner);
  }
}

/// Whether an operand in which the op is linear is a term, and no operand forbids it to be passed on.
bool FormSearch::hasTerms(OpId op) const {
  bool hasAny = false;
  for (auto [number, cell] : llvm::enumerate(graph.getOperands(op))) {
    const ValueForm &form = forms.cells[cell];
    bool isTerm = form == makeTerm(Combiner::Add);
    if (form.form != Form::Whole && !(isTerm && passesTerm(program, forms, op, number)))
      return false;
    hasAny |= isTerm;
  }
  return hasAny;
}

/// Whether the op gives a whole value to a cell that has terms.
bool FormSearch::entersTerms(OpId op) const {
  if (graph.ops[op].opClass != OpClass::Identity || graph.ops[op].role == IdentityRole::Barrier)
    return false;
  return forms.cells[graph.getResults(op).front()] == makeTerm(Combiner::Add) &&
         forms.cells[graph.getOperands(op).front()].form == Form::Whole;
}

bool FormSearch::passTerms(OpId op) {
  if (forms.ops[op] != OpForm::Whole || !passesOn[op] || !(hasTerms(op) || entersTerms(op)))
    return false;
  forms.ops[op] = OpForm::Sum;
  for (CellId cell : graph.getResults(op))
    forms.cells[cell] = makeTerm(Combiner::Add);
  return true;
}

Forms FormSearch::run(const Reached &reached) {
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (reached.boundaries[cell])
      forms.cells[cell] = makePiece(*reached.boundaries[cell]);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (reached.ops[op])
      split(op, *reached.ops[op]);
  // A loop's yields change its carried values, so its ops are visited again.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (OpId op : idRange<OpId>(graph.ops.size()))
      isChanged |= passTerms(op);
  }
  return std::move(forms);
}

Forms computeForms(const MicroProgram &program, const IdVector<OpId, uint8_t> &passesOn, const Reached &reached) {
  return FormSearch(program, passesOn).run(reached);
}

//===----------------------------------------------------------------------===//
// What passes terms on
//===----------------------------------------------------------------------===//

namespace {

/// Starts with all ops that could pass terms on and drops those that should not, until none is left to drop.
class PassingChoice {
public:
  PassingChoice(const MicroProgram &program, const Units &units, const Reached &reached)
      : program(program), graph(program.graph), units(units), reached(reached), reachedUnits(units.list.size(), 0) {
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (reached.ops[op])
        reachedUnits[units.ofOp[op]] = 1;
  }

  IdVector<OpId, uint8_t> run(const IdVector<OpId, uint8_t> &forbidden);

private:
  bool mayPass(OpId op) const;
  bool carries(UseId use) const;
  bool allUsesCarry(CellId cell) const;
  bool isWorthwhile(OpId op) const;
  bool isWidening(OpId op) const;
  bool dropEntry(OpId op);

  const MicroProgram &program;
  const Graph &graph;
  const Units &units;
  const Reached &reached;
  std::vector<uint8_t> reachedUnits;
  IdVector<OpId, uint8_t> passesOn;
  Forms forms;
};

} // namespace

/// Results, predicates and the loops that no microbatch reaches need the value itself. A matrix product of a sum is
/// computed once, one of terms for each of them: that is done in loops alone, in which there is no sum.
bool PassingChoice::mayPass(OpId id) const {
  const Op &op = graph.ops[id];
  bool isLinear = op.linearity != Linearity::None && op.linearity != Linearity::Zero;
  bool isInLoop = units.get(id).isBundle;
  if (!isLinear && !(isInLoop && (isProduct(program, id) || isPaddedWithZeros(program, id))))
    return false;
  if (op.role == IdentityRole::Result || op.role == IdentityRole::Boundary)
    return false;
  return !isInLoop || reachedUnits[units.ofOp[id]];
}

bool PassingChoice::carries(UseId use) const {
  OpId op = program.topology.getUser(use);
  return forms.ops[op] == OpForm::Sum && passesTerm(program, forms, op, use.get() - graph.ops[op].firstUse);
}

bool PassingChoice::allUsesCarry(CellId cell) const {
  return llvm::all_of(program.topology.getUses(cell), [&](UseId use) { return carries(use); });
}

bool PassingChoice::isWidening(OpId op) const {
  return graph.ops[op].opClass == OpClass::Elementwise && graph.ops[op].numUses == 1 &&
         graph.cells[graph.getResults(op).front()].elementBits > graph.cells[graph.getOperands(op).front()].elementBits;
}

bool PassingChoice::isWorthwhile(OpId op) const {
  bool endsOperand = false;
  for (auto [operand, cell] : llvm::enumerate(graph.getOperands(op))) {
    if (!passesTerm(program, forms, op, operand))
      continue;
    bool isTerm = forms.cells[cell].form == Form::Partial;
    if (!isTerm && !program.topology.isZero(cell))
      return false;
    endsOperand |= isTerm && allUsesCarry(cell);
  }
  return endsOperand && (isAdd(graph.ops[op]) || isWidening(op) || allUsesCarry(graph.getResults(op).front()));
}

/// A value that enters a loop and stays the same in it may be needed whole there: it is completed before the loop.
bool PassingChoice::dropEntry(OpId op) {
  CellId cell = graph.getResults(op).front();
  if (graph.ops[op].role != IdentityRole::Entry || program.topology.getDefinitions(cell).size() != 1 ||
      allUsesCarry(cell))
    return false;
  passesOn[op] = 0;
  return true;
}

IdVector<OpId, uint8_t> PassingChoice::run(const IdVector<OpId, uint8_t> &forbidden) {
  passesOn.resize(graph.ops.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    passesOn[op] = !forbidden[op] && mayPass(op);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    forms = computeForms(program, passesOn, reached);
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      if (forms.ops[op] != OpForm::Sum)
        continue;
      if (units.get(op).isBundle)
        isChanged |= dropEntry(op);
      else if (!isWorthwhile(op)) {
        passesOn[op] = 0;
        isChanged = true;
      }
    }
  }
  return std::move(passesOn);
}

IdVector<OpId, uint8_t> choosePassing(const MicroProgram &program, const Units &units, const Reached &reached,
                                      const IdVector<OpId, uint8_t> &forbidden) {
  return PassingChoice(program, units, reached).run(forbidden);
}

} // namespace partita::temporal
