//===- MicroLoops.cpp - writes the loops over microbatches ----------------===//
//
// Stage by stage and loop by loop, the units of each in program order. A loop
// carries the number of the microbatch and a value for each output:
//
//   a term    the sum so far, from zero
//   a piece   a buffer, into which each turn writes its rows
//   a whole   the value of the last turn: all turns compute the same
//
//===----------------------------------------------------------------------===//

#include "partita/Temporal/MicroLoops.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Temporal/MicroEmitter.h"

using namespace mlir;

namespace partita::temporal {

namespace {

class LoopWriter {
public:
  LoopWriter(func::FuncOp main, const MicroDecision &decision, bool inSingle)
      : main(main), decision(decision), program(decision.program), graph(program.graph), forms(decision.forms),
        inSingle(inSingle), builder(main.getContext()), emitter(program, forms, builder),
        loc(NameLoc::get(builder.getStringAttr(loopName), main.getLoc())) {
    for (auto [number, unit] : llvm::enumerate(decision.units.list))
      if (graph.ops[unit.first].role == IdentityRole::Barrier && !unit.isBundle)
        barriers[unit.origin].push_back(number);
  }

  Accumulated run();
  /// In order.
  SmallVector<stablehlo::WhileOp> loops;

private:
  void emitStage(int stage);
  void emitLoop(int loop);
  void emitCondition(stablehlo::WhileOp made);
  void emitBody(stablehlo::WhileOp made, int loop, ArrayRef<CellId> outputs);
  void emitUnits(llvm::function_ref<bool(const UnitPlace &)> isHere);
  void emitBarrierUnits(uint32_t number, llvm::function_ref<bool(const UnitPlace &)> isHere);

  // One output of a loop.
  std::optional<RunningSum> findRunning(const LoopOutput &output) const;
  RankedTensorType getType(CellId cell) const;
  RankedTensorType getSumType(CellId cell) const;
  Value emitInitial(CellId cell, int loop);
  Value emitNext(CellId cell, Value carried, Value index);
  Value emitFinal(CellId cell, Value carried);
  void count(CellId cell);

  MicroPieces emit() { return {builder, loc, program.count}; }

  func::FuncOp main;
  const MicroDecision &decision;
  const MicroProgram &program;
  const Graph &graph;
  const Forms &forms;
  bool inSingle;
  OpBuilder builder;
  MicroEmitter emitter;
  Location loc;
  /// The units of each barrier of the straight code, one for each value.
  llvm::DenseMap<Operation *, SmallVector<uint32_t>> barriers;
  Accumulated report;
};

} // namespace

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The type of a cell's value.
static RankedTensorType findType(const MicroProgram &program, CellId cell) {
  OpId definition = program.topology.getDefinition(cell);
  if (!definition.isValid())
    definition = program.topology.getDefinitions(cell).front();
  const Op &op = program.graph.ops[definition];
  Operation *origin = program.flattened.origins[definition];
  unsigned number = 0;
  if (op.opClass == OpClass::Identity && op.role != IdentityRole::Constraint)
    number = program.graph.cells[cell].number;
  else
    number = llvm::find(program.graph.getResults(definition), cell) - program.graph.getResults(definition).begin();
  return cast<RankedTensorType>(origin->getResult(number).getType());
}

RankedTensorType LoopWriter::getType(CellId cell) const { return findType(program, cell); }

static bool isNarrow(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 16; }

/// The type in which the terms of a cell are added up.
RankedTensorType LoopWriter::getSumType(CellId cell) const {
  RankedTensorType type = getType(cell);
  bool isWidened = inSingle && isNarrow(type.getElementType()) && forms.cells[cell].combiner == Combiner::Add;
  return isWidened ? type.clone(Float32Type::get(type.getContext())) : type;
}

/// A sum that is kept in another type than its terms is added up behind the loop that makes a term.
std::optional<RunningSum> LoopWriter::findRunning(const LoopOutput &output) const {
  if (forms.cells[output.cell].form != Form::Partial || getSumType(output.cell) != getType(output.cell))
    return std::nullopt;
  return findRunningSum(program, decision.units, forms, decision.placement, output);
}

Value LoopWriter::emitInitial(CellId cell, int loop) {
  const ValueForm &form = forms.cells[cell];
  if (std::optional<RunningSum> sum = findRunning({cell, loop}); sum && sum->initial.isValid())
    return emitter.getWhole(sum->initial);
  if (form.form == Form::Piece)
    return emit().emitZeros(emit().getViewType(getType(cell), form.digit));
  return emit().emitZeros(form.form == Form::Partial ? getSumType(cell) : getType(cell));
}

Value LoopWriter::emitNext(CellId cell, Value carried, Value index) {
  const ValueForm &form = forms.cells[cell];
  Value value = emitter.getInTurn(cell);
  switch (form.form) {
  case Form::Whole:
    return value;
  case Form::Piece:
    return emit().emitUpdate(carried, value, getType(cell), form.digit, index);
  case Form::Partial:
    value = rules::LocalArithmetic{builder, loc}.convert(value, getSumType(cell).getElementType());
    return emit().emitCombined(form.combiner, carried, value, index);
  }
  llvm_unreachable("unknown form");
}

Value LoopWriter::emitFinal(CellId cell, Value carried) {
  RankedTensorType type = getType(cell);
  if (forms.cells[cell].form == Form::Piece)
    return emit().reshape(carried, type);
  return rules::LocalArithmetic{builder, loc}.convert(carried, type.getElementType());
}

void LoopWriter::count(CellId cell) {
  const ValueForm &form = forms.cells[cell];
  int64_t bytes = graph.getBytes(cell);
  if (form.form == Form::Piece) {
    ++report.numCollected;
    report.collectedBytes += bytes;
  }
  if (form.form != Form::Partial)
    return;
  Type element = getType(cell).getElementType();
  bool isWidened = getSumType(cell) != getType(cell);
  ++report.numSums;
  report.sumBytes += isWidened ? bytes * 32 / element.getIntOrFloatBitWidth() : bytes;
  if (form.combiner != Combiner::Add || !isNarrow(element) || isWidened)
    return;
  ++report.numNarrowSums;
  report.narrowType = graph.getName(graph.cells[cell].element).str();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The values of one barrier that stand in the same place are emitted together, where the last of them is.
void LoopWriter::emitBarrierUnits(uint32_t number, llvm::function_ref<bool(const UnitPlace &)> isHere) {
  SmallVector<uint32_t> here;
  llvm::copy_if(barriers[decision.units.list[number].origin], std::back_inserter(here),
                [&](uint32_t other) { return isHere(decision.placement.places[other]); });
  if (here.back() != number)
    return;
  SmallVector<OpId> ops;
  for (uint32_t other : here)
    ops.push_back(decision.units.list[other].first);
  emitter.emitBarrier(ops);
}

void LoopWriter::emitUnits(llvm::function_ref<bool(const UnitPlace &)> isHere) {
  for (auto [number, unit] : llvm::enumerate(decision.units.list)) {
    if (!isHere(decision.placement.places[number]) || graph.ops[unit.first].role == IdentityRole::Result)
      continue;
    if (barriers.contains(unit.origin))
      emitBarrierUnits(number, isHere);
    else
      emitter.emit(unit);
  }
}

void LoopWriter::emitStage(int stage) {
  emitUnits([&](const UnitPlace &place) { return place.stage == stage; });
}

void LoopWriter::emitCondition(stablehlo::WhileOp made) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&made.getCond());
  for (Value carried : made->getOperands())
    block->addArgument(carried.getType(), loc);
  rules::LocalArithmetic arithmetic{builder, loc};
  Value more =
      arithmetic.compare(stablehlo::ComparisonDirection::LT, block->getArgument(0), arithmetic.integer(program.count));
  stablehlo::ReturnOp::create(builder, loc, more);
}

void LoopWriter::emitBody(stablehlo::WhileOp made, int loop, ArrayRef<CellId> outputs) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&made.getBody());
  for (Value carried : made->getOperands())
    block->addArgument(carried.getType(), loc);
  Value index = block->getArgument(0);
  emitter.beginTurn(made, index);
  llvm::DenseSet<uint32_t> running;
  for (auto [number, cell] : llvm::enumerate(outputs))
    if (std::optional<RunningSum> sum = findRunning({cell, loop})) {
      emitter.continueSum(cell, *sum, block->getArgument(number + 1));
      running.insert(number);
    }
  emitUnits([&](const UnitPlace &place) { return place.isIn(loop); });
  SmallVector<Value> next;
  next.push_back(stablehlo::AddOp::create(builder, loc, index.getType(), index, emit().emitInteger(1)));
  for (auto [number, cell] : llvm::enumerate(outputs))
    next.push_back(running.contains(number) ? emitter.getInTurn(cell)
                                            : emitNext(cell, block->getArgument(number + 1), index));
  emitter.endTurn();
  stablehlo::ReturnOp::create(builder, loc, next);
  int64_t numOps = 0;
  made.getBody().walk([&](Operation *) { ++numOps; });
  (loop == decision.placement.numLoops ? report.numOps : report.numEarlyOps) += numOps;
}

void LoopWriter::emitLoop(int loop) {
  SmallVector<CellId> outputs;
  for (const LoopOutput &output : decision.placement.outputs)
    if (output.loop == loop)
      outputs.push_back(output.cell);
  SmallVector<Value> initial{emit().emitInteger(0)};
  for (CellId cell : outputs) {
    initial.push_back(emitInitial(cell, loop));
    count(cell);
  }
  auto made = stablehlo::WhileOp::create(builder, loc, TypeRange(ValueRange(initial)), initial);
  loops.push_back(made);
  emitCondition(made);
  emitBody(made, loop, outputs);
  for (auto [number, cell] : llvm::enumerate(outputs))
    emitter.getWhole(cell) = emitFinal(cell, made->getResult(number + 1));
}

Accumulated LoopWriter::run() {
  Block &old = main.getBody().front();
  mlir::Region fresh;
  Block *block = builder.createBlock(&fresh);
  for (auto [argument, cell] : llvm::zip_equal(old.getArguments(), graph.arguments))
    emitter.getWhole(cell) = block->addArgument(argument.getType(), argument.getLoc());
  emitStage(0);
  for (int loop = 1; loop <= decision.placement.numLoops; ++loop) {
    emitLoop(loop);
    emitStage(loop);
  }
  SmallVector<Value> results;
  for (CellId cell : graph.results)
    results.push_back(emitter.getWhole(graph.getOperands(program.topology.getDefinition(cell)).front()));
  func::ReturnOp::create(builder, old.getTerminator()->getLoc(), results);
  main.getBody().takeBody(fresh);
  report.count = program.count;
  report.numLoops = decision.placement.numLoops;
  return std::move(report);
}

Accumulated writeLoops(func::FuncOp main, const MicroDecision &decision, bool inSingle,
                       SmallVectorImpl<stablehlo::WhileOp> *made) {
  LoopWriter writer(main, decision, inSingle);
  Accumulated report = writer.run();
  if (made)
    *made = std::move(writer.loops);
  return report;
}

} // namespace partita::temporal
