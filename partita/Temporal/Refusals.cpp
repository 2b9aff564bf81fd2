//===- Refusals.cpp - why a program cannot run microbatch by microbatch ---===//

#include "partita/Temporal/Refusals.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Effects.h"

using namespace mlir;

namespace partita::temporal {

static std::string quote(Operation *op) { return "'" + op->getName().getStringRef().str() + "'"; }

static bool isConflict(const Reached &reached, OpId op) { return llvm::is_contained(reached.conflicts, op); }

/// What the op needs of the whole batch.
static std::string describeNeed(const Reached &reached, OpId op, const ValueForm &given) {
  if (isConflict(reached, op))
    return " compares rows of the batch with each other";
  if (given.form == Form::Piece)
    return " needs all rows of the batch at once";
  return given.combiner == Combiner::Add ? " needs a sum over the whole batch"
                                         : " needs the " + getName(given.combiner).str() + " over the whole batch";
}

/// The form of the first operand that is not whole.
static ValueForm findGiven(const MicroProgram &program, const Forms &forms, OpId op) {
  for (CellId cell : program.graph.getOperands(op))
    if (forms.cells[cell].form != Form::Whole)
      return forms.cells[cell];
  return {};
}

Error refuseBarrier(const MicroProgram &program, const Reached &reached, const Forms &forms, OpId barrier,
                    const MicroUnit &costly) {
  Operation *op = program.flattened.origins[barrier];
  std::string reason = quote(op) + describeNeed(reached, barrier, findGiven(program, forms, barrier)) +
                       " before the rest of the step can go on, so " + quote(costly.origin) +
                       " before it would run twice for each microbatch";
  if (SourceLocation location = locationOf(costly.origin); !location.file.empty())
    reason += " (" + location.str() + ")";
  return Error::unsupported(locationOf(op), "no microbatches: " + reason)
      .withRemedy("compute it for each sequence, or let the tactic do so with \"passes\": 2 (or more)");
}

Error refuseManyLoops(const MicroProgram &program, const Reached &reached, const Forms &forms, OpId first,
                      int numLoops) {
  Operation *op = program.flattened.origins[first];
  return Error::unsupported(
             locationOf(op),
             "no microbatches: " + quote(op) + describeNeed(reached, first, findGiven(program, forms, first)) +
                 " before the rest of the step can go on, and so do others: " + std::to_string(numLoops) +
                 " passes over the batch, one after the other")
      .withRemedy("use statistics of each sequence (layer norm in place of batch norm), or accumulate in the program "
                  "itself (lax.scan)");
}

//===----------------------------------------------------------------------===//
// Inside of loops and branches
//===----------------------------------------------------------------------===//

static Error refuseInLoop(const MicroProgram &program, const Reached &reached, OpId id, const ValueForm &given) {
  Operation *op = program.flattened.origins[id];
  Error error = Error::unsupported(locationOf(op), "no microbatches: " + quote(op) + describeNeed(reached, id, given) +
                                                       " inside of a loop, in each iteration");
  if (isa<stablehlo::CustomCallOp>(op))
    return std::move(error).withRemedy(
        "if it computes each row alone, give it a rule that says so: --rule, partita.kernel");
  if (given.form == Form::Piece || isConflict(reached, id))
    return std::move(error).withRemedy("it looks from row to row, as along a sequence or a grid: if another dim is the "
                                       "batch, name it: \"tile\": [[\"batch/.*\", 0]]; without a batch there are no "
                                       "microbatches");
  return std::move(error).withRemedy(
      "statistics, balance losses and capacities over the batch do not split into microbatches: compute "
      "them for each sequence, or accumulate in the program itself (lax.scan)");
}

static Error refuseEffect(Operation *op) {
  return Error::unsupported(locationOf(op),
                            "no microbatches: " + quote(op) + " has an effect and would run once for each microbatch")
      .withRemedy("take it out of the loop");
}

static Status checkOp(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms,
                      OpId op) {
  for (auto [operand, cell] : llvm::enumerate(program.graph.getOperands(op))) {
    const ValueForm &given = forms.cells[cell];
    if (units.ofCell[cell] == units.ofOp[op] && !isUsable(given, getNeeded(program, forms, op, operand)))
      return refuseInLoop(program, reached, op, given);
  }
  return std::nullopt;
}

static Status checkUnit(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms,
                        const MicroUnit &unit) {
  IdRange<OpId> ops(unit.first.get(), unit.end.get());
  bool isWhole = true;
  for (OpId op : ops)
    isWhole &= forms.ops[op] == OpForm::Whole;
  if (isWhole)
    return std::nullopt;
  if (hasEffect(unit.origin))
    return refuseEffect(unit.origin);
  for (OpId op : ops)
    if (Status wrong = checkOp(program, units, reached, forms, op); wrong && unit.isBundle)
      return wrong;
  return std::nullopt;
}

static Status checkRandomBits(const MicroProgram &program, const Forms &forms, IdRange<OpId> ops) {
  const Graph &graph = program.graph;
  for (OpId op : ops)
    for (auto [operand, cell] : llvm::enumerate(graph.getOperands(op))) {
      OpId definition = program.topology.getDefinition(cell);
      if (!definition.isValid() || graph.ops[definition].opClass != OpClass::Random)
        continue;
      Operation *bits = program.flattened.origins[definition];
      if (getNeeded(program, forms, op, operand).form == Form::Piece)
        return Error::unsupported(locationOf(bits),
                                  "no microbatches: " + quote(bits) +
                                      ", from which rbg keys get their random bits, gives other bits for a part of "
                                      "the shape")
            .withRemedy("use threefry keys, whose bits a microbatch can compute alone: jax_default_prng_impl");
    }
  return std::nullopt;
}

Status checkBundles(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms) {
  for (const MicroUnit &unit : units.list)
    if (Status wrong = checkUnit(program, units, reached, forms, unit))
      return wrong;
  return std::nullopt;
}

Status checkBundle(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms,
                   const MicroUnit &unit) {
  if (Status wrong = checkUnit(program, units, reached, forms, unit))
    return wrong;
  return checkRandomBits(program, forms, IdRange<OpId>(unit.first.get(), unit.end.get()));
}

Status checkRandomBits(const MicroProgram &program, const Forms &forms) {
  return checkRandomBits(program, forms, idRange<OpId>(program.graph.ops.size()));
}

} // namespace partita::temporal
