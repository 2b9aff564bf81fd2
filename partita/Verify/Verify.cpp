//===- Verify.cpp - runs a local program against the original -------------===//

#include "partita/Verify/Verify.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Inputs.h"
#include "partita/Evaluate/Observer.h"
#include "partita/Program/DeviceDependence.h"
#include "partita/Program/Names.h"
#include "partita/Verify/Expectation.h"
#include "partita/Verify/Perturbation.h"
#include "partita/Verify/Relation/LocalBody.h"
#include "partita/Verify/Relation/RelationCheck.h"
#include "partita/Verify/StoredBorder.h"
#include "partita/Verify/Widen.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::verify {

/// Number of runs on perturbed arguments, and the size of the perturbation in roundings: a program rounds many times in
/// sequence.
static constexpr uint64_t numPerturbations = 4;
static constexpr double perturbationRoundings = 8;

std::string Mismatch::str() const {
  if (name.empty())
    return note + " (" + mode + ")";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << name << "[";
  llvm::interleaveComma(index, out);
  out << "]";
  if (device >= 0)
    out << " on device " << device;
  out << " is " << actual << " in the local program, " << expected << " in the original (" << mode;
  if (bound > 0)
    out << ", may be off by " << llvm::format("%.3g", bound);
  out << ")";
  if (!note.empty())
    out << "; " << note;
  return text;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Status compareTypes(func::FuncOp local, StringRef what, TypeRange expected, TypeRange actual) {
  if (expected.size() != actual.size())
    return Error::badInput(locationOf(local), "the local program has " + std::to_string(actual.size()) + " " +
                                                  what.str() + "s, the original " + std::to_string(expected.size()));
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(expected, actual)))
    if (auto [original, own] = types; original != own)
      return Error::badInput(locationOf(local), what.str() + " " + std::to_string(index) + " of the local program is " +
                                                    toText(own) + ", of the original " + toText(original))
          .withRemedy("the local program must have the original's global types");
  return std::nullopt;
}

static Status compareSignatures(func::FuncOp original, func::FuncOp local) {
  if (Status error = compareTypes(local, "argument", original.getArgumentTypes(), local.getArgumentTypes()))
    return error;
  return compareTypes(local, "result", original.getResultTypes(), local.getResultTypes());
}

//===----------------------------------------------------------------------===//
// The local program's run
//===----------------------------------------------------------------------===//

namespace {

/// Counts ops whose results differ between devices. Scalars do not count: they are offsets computed from the device id,
/// and elements inside of reducers.
class SplitCounter {
public:
  void see(Operation *op, unsigned result, int64_t device, const Tensor &value) {
    if (value.isToken() || value.getRank() == 0 || splitOps.contains(op))
      return;
    if (op != current)
      begin(op, device);
    Tensor &first = firsts[result];
    if (device == firstDevice)
      first = value;
    else if (!first.isIdentical(value))
      end(op);
  }

  int64_t getCount() const { return splitOps.size(); }

private:
  void begin(Operation *op, int64_t device) {
    current = op;
    firstDevice = device;
    firsts.assign(op->getNumResults(), Tensor());
  }
  void end(Operation *op) {
    splitOps.insert(op);
    current = nullptr;
    firsts.clear();
  }

  llvm::SmallPtrSet<Operation *, 16> splitOps;
  /// The op that devices run now, and the result of the first of them.
  Operation *current = nullptr;
  int64_t firstDevice = 0;
  SmallVector<Tensor> firsts;
};

/// A device's piece of a result of the manual computation.
struct Piece {
  int64_t device;
  SmallVector<int64_t> offsets;
  Tensor tensor;
};

class LocalObserver final : public Observer {
public:
  explicit LocalObserver(func::FuncOp main) : main(main) {}

  void seeResult(Operation *op, unsigned result, int64_t device, const Tensor &value) override {
    splits.see(op, result, device, value);
  }
  void seePiece(Operation *op, unsigned result, int64_t device, ArrayRef<int64_t> offsets,
                const Tensor &piece) override {
    if (op->getParentOp() == main)
      pieces[op->getResult(result)].push_back({device, SmallVector<int64_t>(offsets), piece});
  }

  ArrayRef<Piece> getPieces(Value value) const {
    auto found = pieces.find(value);
    return found == pieces.end() ? ArrayRef<Piece>() : ArrayRef<Piece>(found->second);
  }
  bool hasPieces() const { return !pieces.empty(); }
  int64_t getSplitOps() const { return splits.getCount(); }

private:
  func::FuncOp main;
  SplitCounter splits;
  llvm::DenseMap<Value, std::vector<Piece>> pieces;
};

/// What each result must be; nothing for a token.
using Expectations = std::vector<std::optional<Expectation>>;

/// The original in floats.
struct FloatRuns {
  DeviceValues arguments, whole;
  std::optional<DeviceValues> wide;
};

class Verifier {
public:
  Verifier(ModuleOp original, ModuleOp local, StringRef inputs, const EvaluatorOptions &options, const Limits &limits)
      : original(original), local(local), inputs(inputs), options(options), limits(limits) {}

  Result<Verification> run();

private:
  Status compareInRing();
  Status compareInFloats();
  Result<DeviceValues> makeArguments(bool ring);
  /// Runs on one device or, if the program has existing collectives, on all devices of the local program in lock step.
  Result<DeviceValues> evaluateWhole(ModuleOp module, const DeviceValues &arguments, bool ring);
  /// The results in f64; nothing if there is no wide program.
  Result<std::optional<DeviceValues>> evaluateWide(const DeviceValues &arguments);
  /// Widens the bounds of `expected` by what rounding of the arguments changes.
  Status allowPerturbation(const FloatRuns &runs, Expectations &expected);

  /// Runs a local program and compares each device's piece of each result.
  Status compareLocal(ModuleOp program, StringRef mode, DeviceValues arguments, const Expectations &expected);
  void compareResults(func::FuncOp main, const LocalObserver &observer, ArrayRef<Tensor> values,
                      const Expectations &expected);
  void compare(unsigned result, int64_t device, const Tensor &piece, ArrayRef<int64_t> offsets,
               const Expectation &expected);
  Mismatch makeMismatch(unsigned result, int64_t device);
  EvaluatorOptions makeOptions(bool ring) const;

  ModuleOp original, local;
  func::FuncOp originalMain, localMain;
  /// More than one if the original has existing collectives.
  int64_t numOriginalDevices = 1;
  StringRef inputs;
  const EvaluatorOptions &options;
  const Limits &limits;
  /// The original in f64; null where there is none.
  OwningOpRef<ModuleOp> wideOriginal;
  /// The current comparison.
  std::string mode;
  Verification found;
};

} // namespace

EvaluatorOptions Verifier::makeOptions(bool ring) const {
  EvaluatorOptions result = options;
  result.devices = 1;
  result.exact = ring;
  result.observer = nullptr;
  return result;
}

static Operation *getReturn(func::FuncOp main) { return main.getBody().front().getTerminator(); }

Mismatch Verifier::makeMismatch(unsigned result, int64_t device) {
  Mismatch mismatch;
  mismatch.mode = mode;
  mismatch.result = result;
  mismatch.name = nameResult(originalMain, result);
  mismatch.device = device;
  Operation *producer = getReturn(originalMain)->getOperand(result).getDefiningOp();
  mismatch.location = locationOf(producer ? producer : getReturn(originalMain));
  return mismatch;
}

void Verifier::compare(unsigned result, int64_t device, const Tensor &piece, ArrayRef<int64_t> offsets,
                       const Expectation &expected) {
  std::optional<WrongElement> wrong = expected.check(piece, offsets, found.worst);
  if (!wrong || found.mismatch)
    return;
  Mismatch mismatch = makeMismatch(result, device);
  mismatch.index = std::move(wrong->index);
  mismatch.expected = std::move(wrong->expected);
  mismatch.actual = std::move(wrong->actual);
  mismatch.bound = wrong->bound;
  found.mismatch = std::move(mismatch);
}

/// Compares pieces if the manual computation's results are the program's. If slices follow it, compares `values`, the
/// whole results, which may be missing.
void Verifier::compareResults(func::FuncOp main, const LocalObserver &observer, ArrayRef<Tensor> values,
                              const Expectations &expected) {
  for (auto [result, returned] : llvm::enumerate(getReturn(main)->getOperands())) {
    if (!expected[result])
      continue;
    ArrayRef<Piece> pieces = observer.getPieces(returned);
    for (const Piece &piece : pieces)
      compare(result, piece.device, piece.tensor, piece.offsets, *expected[result]);
    if (pieces.empty() && result < values.size())
      compare(result, /*device=*/-1, values[result], SmallVector<int64_t>(values[result].getRank()), *expected[result]);
  }
}

Status Verifier::compareLocal(ModuleOp program, StringRef newMode, DeviceValues arguments,
                              const Expectations &expected) {
  mode = newMode;
  auto main = program.lookupSymbol<func::FuncOp>("main");
  LocalObserver observer(main);
  EvaluatorOptions localOptions = makeOptions(newMode == "ring");
  localOptions.observer = &observer;
  Result<std::vector<DeviceValues>> values = evaluate::evaluate(program, {std::move(arguments)}, localOptions);
  found.splitOps = std::max(found.splitOps, observer.getSplitOps());
  compareResults(main, observer, values ? ArrayRef<Tensor>(values->front()) : ArrayRef<Tensor>(), expected);
  if (values || found.mismatch)
    return std::nullopt;
  // The body ran to its end, so the error is that replicas differ.
  if (!observer.hasPieces())
    return values.error();
  found.mismatch = Mismatch{.mode = mode, .location = values.error().location, .note = values.error().reason};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Result<DeviceValues> Verifier::makeArguments(bool ring) {
  Result<std::vector<DeviceValues>> arguments =
      makeInputs(inputs, original, makeOptions(ring), limits, SeededFloats::Fractions);
  if (!arguments)
    return arguments.error();
  return std::move(arguments->front());
}

Result<DeviceValues> Verifier::evaluateWhole(ModuleOp module, const DeviceValues &arguments, bool ring) {
  EvaluatorOptions wholeOptions = makeOptions(ring);
  wholeOptions.devices = numOriginalDevices;
  Result<std::vector<DeviceValues>> results =
      evaluate::evaluate(module, std::vector<DeviceValues>(numOriginalDevices, arguments), wholeOptions);
  if (!results)
    return results.error();
  for (const DeviceValues &other : *results)
    for (auto [index, values] : llvm::enumerate(llvm::zip_equal(results->front(), other)))
      if (auto &[first, value] = values; !first.isToken() && !first.isIdentical(value))
        return Error::unsupported(locationOf(getReturn(originalMain)),
                                  "result " + std::to_string(index) +
                                      " of the original is another one on each device, so there is nothing to compare "
                                      "with");
  return std::move(results->front());
}

Status Verifier::compareInRing() {
  Result<DeviceValues> arguments = makeArguments(/*ring=*/true);
  if (!arguments)
    return arguments.error();
  Result<DeviceValues> whole = evaluateWhole(original, *arguments, /*ring=*/true);
  if (!whole)
    return whole.error();
  Expectations expected;
  for (Tensor &value : *whole)
    expected.push_back(value.isToken() ? std::nullopt : std::optional(Expectation::makeExact(std::move(value))));
  found.mode = "ring";
  return compareLocal(local, "ring", std::move(*arguments), expected);
}

static DeviceValues widenAll(const DeviceValues &values) {
  DeviceValues wide;
  for (const Tensor &value : values)
    wide.push_back(widenTensor(value));
  return wide;
}

Result<std::optional<DeviceValues>> Verifier::evaluateWide(const DeviceValues &arguments) {
  Result<OwningOpRef<ModuleOp>> program = widenProgram(original);
  if (!program)
    return std::optional<DeviceValues>();
  wideOriginal = std::move(*program);
  Result<DeviceValues> values = evaluateWhole(*wideOriginal, widenAll(arguments), /*ring=*/false);
  if (values)
    return std::optional(std::move(*values));
  if (values.error().code == ExitCode::Unsupported)
    return std::optional<DeviceValues>();
  return values.error();
}

/// Expectations of all results but tokens.
template <typename Make> static Expectations expectAll(const DeviceValues &values, Make make) {
  Expectations expected;
  for (auto [index, value] : llvm::enumerate(values))
    expected.push_back(value.isToken() ? std::nullopt : std::optional(make(index, value)));
  return expected;
}

/// The largest distance from 1 to the next number, over all float types of the program.
static double findLargestSpacing(ModuleOp module) {
  double largest = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && isa<FloatType>(tensor.getElementType()))
        largest = std::max(largest, computeSpacing(tensor.getElementType()));
  });
  return largest;
}

Status Verifier::allowPerturbation(const FloatRuns &runs, Expectations &expected) {
  double spacing = perturbationRoundings * findLargestSpacing(original);
  for (uint64_t run = 0; run < numPerturbations; ++run) {
    DeviceValues arguments;
    for (auto [index, argument] : llvm::enumerate(runs.arguments))
      arguments.push_back(perturbTensor(widenTensor(argument), spacing, run * runs.arguments.size() + index));
    Result<DeviceValues> results = evaluateWhole(*wideOriginal, arguments, /*ring=*/false);
    if (!results)
      return results.error();
    for (auto [expectation, result] : llvm::zip_equal(expected, *results))
      if (expectation)
        expectation->allowPerturbation(result);
  }
  return std::nullopt;
}

Status Verifier::compareInFloats() {
  FloatRuns runs;
  Result<DeviceValues> arguments = makeArguments(/*ring=*/false);
  if (!arguments)
    return arguments.error();
  Result<DeviceValues> whole = evaluateWhole(original, *arguments, /*ring=*/false);
  if (!whole)
    return whole.error();
  Result<std::optional<DeviceValues>> wide = evaluateWide(*arguments);
  if (!wide)
    return wide.error();
  runs = {std::move(*arguments), std::move(*whole), std::move(*wide)};
  Expectations expected = expectAll(runs.whole, [&](size_t index, const Tensor &value) {
    return runs.wide ? Expectation::makeClose(value, (*runs.wide)[index]) : Expectation::makeTolerant(value);
  });
  std::string how = runs.wide ? "wide" : "tolerance";
  if (Status error = compareLocal(local, how, runs.arguments, expected))
    return error;
  // Only after a mismatch: most programs are well conditioned, and these runs take time.
  if (found.mismatch && runs.wide) {
    how = "jitter";
    if (Status error = allowPerturbation(runs, expected))
      return error;
    found.mismatch.reset();
    found.worst = 0;
    if (Status error = compareLocal(local, how, runs.arguments, expected))
      return error;
  }
  found.mode += "+" + how;
  return std::nullopt;
}

int64_t countCollectiveOps(ModuleOp module) {
  int64_t count = 0;
  module.walk([&](Operation *op) {
    count += isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
                 stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp, stablehlo::ReduceScatterOp>(op);
  });
  return count;
}

Result<Verification> Verifier::run() {
  Result<func::FuncOp> first = findMain(original), second = findMain(local);
  if (!first)
    return first.error();
  if (!second)
    return second.error();
  originalMain = *first;
  localMain = *second;
  if (Status error = compareSignatures(originalMain, localMain))
    return std::move(*error);
  if (!findDeviceDependence(originalMain).collectives.empty()) {
    Result<LocalBody> body = findLocalBody(localMain);
    if (!body)
      return body.error();
    numOriginalDevices = countParts(body->axes);
  }
  found.collectives = countCollectiveOps(local);
  if (Status error = compareInRing())
    return std::move(*error);
  if (found.mismatch || options.exact)
    return found;
  if (Status error = compareInFloats())
    return std::move(*error);
  return found;
}

/// Names the first op of the local program that cannot be right, if the static check finds one.
static void addCause(ModuleOp original, ModuleOp local, Mismatch &mismatch) {
  Status cause = checkRelation(original, local, UserRules());
  if (!cause || cause->code != ExitCode::BadInput)
    return;
  mismatch.note += mismatch.note.empty() ? "" : "; ";
  mismatch.note += "first wrong at " + cause->location.str() + ": " + cause->reason;
}

Result<Verification> verifyLocal(ModuleOp original, ModuleOp local, StringRef inputs, const EvaluatorOptions &options,
                                 const Limits &limits, bool mayBeStored) {
  OwningOpRef<ModuleOp> unpadded = mayBeStored ? removeStorage(original, local) : nullptr;
  if (unpadded)
    local = *unpadded;
  Result<Verification> found = Verifier(original, local, inputs, options, limits).run();
  if (found && found->mismatch)
    addCause(original, local, *found->mismatch);
  return found;
}

bool isForDevices(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main && !main.getOps<sdy::ManualComputationOp>().empty();
}

} // namespace partita::verify
