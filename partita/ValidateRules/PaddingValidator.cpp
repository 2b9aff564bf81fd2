//===- PaddingValidator.cpp - what padded ops compute, by execution -------===//

#include "partita/ValidateRules/PaddingValidator.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Comparison.h"
#include "partita/Evaluate/Number.h"
#include "partita/Program/Rules/FoldedBodies.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace mlir;

namespace partita::validate {

/// Numbers of devices; 16 has empty pieces of most dims.
static constexpr int64_t deviceCounts[] = {2, 3, 4, 5, 6, 7, 8, 16};

/// How many wrong cases of an op are reported, at most.
static constexpr size_t maxWrong = 8;

//===----------------------------------------------------------------------===//
// An op and what is seen of its results
//===----------------------------------------------------------------------===//

/// Types whose products the evaluator computes and rounds alike in any place of a sum.
static bool isMultiplied(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() >= 8 : isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(type);
}

/// The product of a value with itself, summed up over all dims.
static Value emitSquare(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto dims = stablehlo::DotDimensionNumbersAttr::get(builder.getContext(), {}, {}, all, all);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  return stablehlo::DotGeneralOp::create(builder, loc, scalar, value, value, dims, ArrayAttr(),
                                         stablehlo::DotAlgorithmAttr());
}

/// An instance that also returns the square of each result. To a result that depends on no argument a new argument is
/// added: what depends on none is made in the sizes that its uses need.
static Result<OpInstance> buildObserved(Operation *op) {
  Result<OpInstance> instance = isolateOp(op);
  if (!instance)
    return instance;
  auto main = instance->module.get().lookupSymbol<func::FuncOp>("main");
  Block &block = main.getBody().front();
  bool isFree = block.getNumArguments() == 0;
  OpBuilder builder(block.getTerminator());
  Location loc = builder.getUnknownLoc();
  SmallVector<Value> returned(block.getTerminator()->getOperands());
  for (Value result : instance->op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !isMultiplied(type.getElementType()))
      continue;
    if (isFree)
      result = stablehlo::AddOp::create(builder, loc, type, result, block.addArgument(type, loc));
    returned.push_back(emitSquare(builder, loc, result));
  }
  block.getTerminator()->setOperands(returned);
  // Constraints name them.
  builder.setInsertionPointToStart(instance->module->getBody());
  for (auto mesh : op->getParentOfType<ModuleOp>().getOps<sdy::MeshOp>())
    builder.clone(*mesh);
  main.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), TypeRange(ValueRange(returned))));
  return instance;
}

//===----------------------------------------------------------------------===//
// Which dims, for how many devices
//===----------------------------------------------------------------------===//

namespace {

/// A case, and the value and dim of an instance that it is about.
struct RootedCase {
  PaddingCase stated;
  /// Number among the instance's roots.
  size_t root = 0;
  bool slides = false;
};

/// A dim that is padded on its own.
struct PaddableDim {
  Value value;
  uint32_t dim = 0;
  std::string name;
};

} // namespace

/// All dims of operands and results; of a free op, of the arguments that are added to its results.
static std::vector<PaddableDim> listRoots(const OpInstance &instance) {
  std::vector<PaddableDim> roots;
  auto add = [&](Value value, const std::string &name) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        roots.push_back({value, static_cast<uint32_t>(dim), name + ", dim " + std::to_string(dim)});
  };
  auto main = instance.module.get().lookupSymbol<func::FuncOp>("main");
  for (auto [number, operand] : llvm::enumerate(instance.op->getOperands()))
    if (isa<BlockArgument>(operand))
      add(operand, "operand " + std::to_string(number));
  bool isFree = roots.empty() && !llvm::any_of(instance.op->getOperands(), llvm::IsaPred<BlockArgument>);
  for (auto [number, result] : llvm::enumerate(instance.op->getResults()))
    add(result, "result " + std::to_string(number));
  if (isFree) {
    roots.clear();
    for (BlockArgument argument : main.getArguments())
      add(argument, "result " + std::to_string(argument.getArgNumber()));
  }
  return roots;
}

/// The factor of a dim; nothing if windows slide along it or rows move.
static std::optional<uint8_t> findFactor(const OpInstance &instance, const Rule &rule, const PaddableDim &root) {
  auto find = [&](auto values, ArrayRef<ValueFactors> factors) -> std::optional<uint8_t> {
    for (auto [value, dims] : llvm::zip_equal(values, factors))
      if (value == root.value && !dims[root.dim].empty())
        return dims[root.dim].front();
    return std::nullopt;
  };
  std::optional<uint8_t> factor = find(instance.op->getOperands(), rule.operands);
  return factor ? factor : find(instance.op->getResults(), rule.results);
}

static bool slides(const OpInstance &instance, const PaddableDim &root) {
  auto isLink = [&](auto values, bool isResult) {
    for (auto [number, value] : llvm::enumerate(values))
      if (value == root.value && padding::findDimLink(instance.op, {isResult, static_cast<unsigned>(number), root.dim}))
        return true;
    return false;
  };
  return isLink(instance.op->getOperands(), false) || isLink(instance.op->getResults(), true);
}

/// One case for each factor and number of devices; at most `maxCases`, evenly spaced.
static std::vector<RootedCase> listCases(const OpInstance &instance, const Rule &rule, int64_t maxCases) {
  std::vector<RootedCase> all;
  std::set<std::pair<uint8_t, int64_t>> seen;
  for (auto [number, root] : llvm::enumerate(listRoots(instance))) {
    int64_t size = cast<RankedTensorType>(root.value.getType()).getDimSize(root.dim);
    bool isLink = slides(instance, root);
    std::optional<uint8_t> factor = isLink ? std::nullopt : findFactor(instance, rule, root);
    for (int64_t parts : deviceCounts)
      if (size % parts != 0 && (!factor || seen.insert({*factor, parts}).second))
        all.push_back({{root.name, size, parts}, number, isLink});
  }
  int64_t count = all.size();
  if (count <= maxCases)
    return all;
  std::vector<RootedCase> some;
  for (int64_t i = 0; i < maxCases; ++i)
    some.push_back(std::move(all[i * count / maxCases]));
  return some;
}

//===----------------------------------------------------------------------===//
// One case
//===----------------------------------------------------------------------===//

namespace {

/// The op under test and its runs without padding.
struct Subject {
  Operation *op;
  const OpInstance &instance;
  const Rule &rule;
  ArrayRef<NamedRun> runs;
  const ValidatorSetting &setting;
  PadRewrite rewrite;
};

/// The program of an op, padded.
struct PaddedInstance {
  OwningOpRef<ModuleOp> module;
  /// Those that the op has become.
  std::vector<Operation *> ops;
};

} // namespace

static constexpr StringLiteral subjectName = "subject";

static bool isSubject(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  if (named && named.getName().strref().starts_with("padded"))
    named = dyn_cast<NameLoc>(named.getChildLoc());
  return named && named.getName() == subjectName;
}

static Result<PaddedInstance> pad(const Subject &subject, const RootedCase &rooted, bool isPoisoned) {
  Result<OpInstance> instance = buildObserved(subject.op);
  if (!instance)
    return instance.error();
  MLIRContext *context = subject.op->getContext();
  instance->op->setLoc(NameLoc::get(StringAttr::get(context, subjectName)));
  Result<Flattened> flattened = flatten(*instance->module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  PaddableDim root = listRoots(*instance)[rooted.root];
  padding::PaddingRequest request;
  request.roots = {{root.value, root.dim, rooted.stated.parts}};
  request.isPoisoned = isPoisoned;
  auto done = subject.rewrite(*instance->module, *flattened, request, subject.setting.userRules);
  if (!done)
    return done.error();
  PaddedInstance padded{std::move(instance->module), {}};
  bool isConstant = isa<stablehlo::ConstantOp>(subject.op);
  padded.module->walk([&](Operation *op) {
    if (isSubject(op->getLoc()) && isa<stablehlo::ConstantOp>(op) == isConstant && isa<func::FuncOp>(op->getParentOp()))
      padded.ops.push_back(op);
  });
  return padded;
}

static bool hasOtherTypes(Operation *op, Operation *original) {
  return op->getName() != original->getName() || op->getOperandTypes() != original->getOperandTypes() ||
         op->getResultTypes() != original->getResultTypes();
}

/// Where the order in which elements are combined changes, so may the sign of a zero.
static Equality getEquality(Operation *op, size_t number) {
  using namespace stablehlo;
  if (number < op->getNumOperands())
    return Equality::Bits;
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && rules::findFoldedBody(reduce).rounds)
    return Equality::Rounded;
  bool combines = isa<ReduceOp, DotGeneralOp, ConvolutionOp, ScatterOp, ReduceWindowOp, SelectAndScatterOp>(op);
  return combines || number >= op->getNumOperands() + op->getNumResults() ? Equality::Value : Equality::Number;
}

static std::optional<Difference> runPadded(const Subject &subject, ModuleOp padded, const NamedRun &run) {
  EvaluatorOptions options;
  options.exact = run.run.mode == Mode::Exact;
  std::vector<DeviceValues> inputs;
  inputs.push_back(makeAdversarialInputs(subject.instance, run.kind, subject.setting.options.seed));
  Result<std::vector<DeviceValues>> outputs = evaluate::evaluate(padded, std::move(inputs), options);
  if (!outputs)
    return Difference{"the padded program cannot be evaluated: " + outputs.error().reason, -1, -1, "", "", ""};
  for (auto [index, got] : llvm::enumerate(outputs->front())) {
    size_t count = run.run.operands.size();
    const Tensor &expected = index < count ? run.run.operands[index] : run.run.results[index - count];
    if (expected.isToken())
      continue;
    if (auto found = findDifference(expected, got, getEquality(subject.op, index)))
      return Difference{"the result differs",
                        static_cast<int64_t>(index) - static_cast<int64_t>(count),
                        -1,
                        std::move(found->index),
                        std::move(found->expected),
                        std::move(found->got)};
  }
  return std::nullopt;
}

/// The splits of the padded op over as many devices as it was padded for, a factor each.
static std::vector<Split> listSplits(const Rule &padded, const Rule &original, int64_t parts) {
  bool hasAll = padded.factors.size() == original.factors.size();
  std::vector<Split> splits;
  for (auto [number, factor] : llvm::enumerate(padded.factors)) {
    Split split{static_cast<uint8_t>(number), parts, {}};
    bool isLonger = !hasAll || factor.size != original.factors[number].size;
    if (isLonger && isValidSplit(padded, split))
      splits.push_back(split);
  }
  return splits;
}

/// Splits the padded op. Its operands are any, so its padding is, too.
static void checkSplits(const Subject &subject, Operation *op, PaddingCase &stated, std::vector<WrongPadding> &wrong) {
  auto complain = [&](const std::string &reason) {
    wrong.push_back({stated.dim, stated.parts, "split", "any", {reason, -1, -1, "", "", ""}});
  };
  Result<OpInstance> instance = isolateOp(op);
  Result<OpRule> rule = instance ? computeRule(instance->op, subject.setting.userRules, subject.setting.table)
                                 : Result<OpRule>(instance.error());
  if (!rule)
    return complain(rule.error().reason);
  std::vector<Split> splits = listSplits(rule->rule, subject.rule, stated.parts);
  if (splits.empty())
    return;
  Result<std::vector<NamedRun>> runs = runAllKinds(*instance, ringHash(subject.setting.options.seed, 1));
  if (!runs)
    return complain(runs.error().reason);
  stated.isSplit = true;
  for (const Split &split : splits)
    if (auto found = trySplits(*instance, rule->rule, split, *runs, subject.setting))
      wrong.push_back({stated.dim, stated.parts, found->splits, found->inputs, std::move(found->difference)});
}

static void checkCase(const Subject &subject, RootedCase &rooted, std::vector<WrongPadding> &wrong) {
  PaddingCase &stated = rooted.stated;
  for (bool isPoisoned : {false, true}) {
    std::string what = isPoisoned ? "poison" : "zeros";
    Result<PaddedInstance> padded = pad(subject, rooted, isPoisoned);
    if (!padded) {
      wrong.push_back({stated.dim, stated.parts, what, "any", {padded.error().reason, -1, -1, "", "", ""}});
      return;
    }
    stated.isPadded |= llvm::any_of(padded->ops, [&](Operation *op) { return hasOtherTypes(op, subject.instance.op); });
    for (const NamedRun &run : subject.runs) {
      // An infinity may meet a zero that is the window's padding.
      bool meetsZero = rooted.slides && isa<stablehlo::ConvolutionOp, stablehlo::SelectAndScatterOp>(subject.op);
      if (meetsZero && run.kind == InputKind::Special)
        continue;
      if (auto difference = runPadded(subject, *padded->module, run)) {
        wrong.push_back({stated.dim, stated.parts, what, validate::getName(run.kind).str(), std::move(*difference)});
        break;
      }
    }
    if (!isPoisoned)
      for (Operation *op : padded->ops)
        if (hasOtherTypes(op, subject.instance.op))
          checkSplits(subject, op, stated, wrong);
  }
}

PaddedOpReport validatePadding(Operation *op, const ValidatorSetting &setting, PadRewrite rewrite) {
  PaddedOpReport report;
  report.op = op->getName().getStringRef().str();
  if (auto function = op->getParentOfType<func::FuncOp>())
    report.function = function.getName().str();
  if (isTooLarge(op, setting.options.maxInstanceElements)) {
    report.skipped = "too large";
    return report;
  }
  Result<OpInstance> instance = buildObserved(op);
  if (!instance) {
    report.skipped = instance.error().reason;
    return report;
  }
  Result<OpRule> rule = computeRule(instance->op, setting.userRules, setting.table);
  Result<std::vector<NamedRun>> runs = runAllKinds(*instance, setting.options.seed);
  if (!rule || !runs) {
    report.skipped = (rule ? runs.error() : rule.error()).reason;
    return report;
  }
  report.rule = printRule(rule->rule);
  Subject subject{op, *instance, rule->rule, *runs, setting, rewrite};
  for (RootedCase &rooted : listCases(*instance, rule->rule, setting.options.maxPaddings)) {
    checkCase(subject, rooted, report.wrong);
    report.cases.push_back(std::move(rooted.stated));
  }
  report.wrong.resize(std::min(report.wrong.size(), maxWrong));
  return report;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printCase(llvm::json::OStream &json, const PaddingCase &stated) {
  json.object([&] {
    json.attribute("dim", stated.dim);
    json.attribute("size", stated.size);
    json.attribute("parts", stated.parts);
    json.attribute("padded", stated.isPadded);
    json.attribute("split", stated.isSplit);
  });
}

static void printWrong(llvm::json::OStream &json, const WrongPadding &wrong) {
  json.object([&] {
    json.attribute("dim", wrong.dim);
    json.attribute("parts", wrong.parts);
    json.attribute("what", wrong.what);
    json.attribute("inputs", wrong.inputs);
    json.attribute("reason", wrong.difference.reason);
    json.attribute("result", wrong.difference.result);
    json.attribute("index", wrong.difference.index);
    json.attribute("expected", wrong.difference.expected);
    json.attribute("got", wrong.difference.got);
  });
}

std::string printReport(const PaddedOpReport &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("op", report.op);
    json.attribute("function", report.function);
    json.attribute("rule", report.rule);
    json.attributeArray("cases", [&] { llvm::for_each(report.cases, [&](auto &c) { printCase(json, c); }); });
    json.attributeArray("wrong", [&] { llvm::for_each(report.wrong, [&](auto &w) { printWrong(json, w); }); });
    json.attribute("skipped", report.skipped);
  });
  return text + "\n";
}

Status validatePaddings(ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                        std::string &text) {
  Result<int64_t> wrong = countWrongOps(module, rules, options, [&](Operation *op, const ValidatorSetting &setting) {
    PaddedOpReport report = validatePadding(op, setting);
    text += printReport(report);
    return report.wrong.empty();
  });
  if (!wrong)
    return wrong.error();
  if (*wrong == 0)
    return std::nullopt;
  return Error::difference("with padding, " + std::to_string(*wrong) + " op(s) are wrong");
}

} // namespace partita::validate
