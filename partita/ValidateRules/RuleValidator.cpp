//===- RuleValidator.cpp - every rule, checked by execution ---------------===//

#include "partita/ValidateRules/RuleValidator.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Number.h"
#include "partita/ValidateRules/MissingSplits.h"

#include "llvm/Support/JSON.h"

#include <set>

using namespace mlir;

namespace partita::validate {

//===----------------------------------------------------------------------===//
// Which splits
//===----------------------------------------------------------------------===//

static const std::vector<std::vector<int64_t>> &getMeshes() {
  static const std::vector<std::vector<int64_t>> meshes = {{2}, {3}, {4}, {2, 2}, {2, 3}, {2, 4}, {2, 2, 2}};
  return meshes;
}

/// Steps to the next assignment of a factor to each axis; false after the last.
static bool advance(std::vector<uint8_t> &factorOfAxis, size_t numFactors) {
  for (uint8_t &factor : factorOfAxis) {
    if (++factor < numFactors)
      return true;
    factor = 0;
  }
  return false;
}

/// The splits that an assignment of factors to the axes of a mesh makes, in order of factors.
static SmallVector<Split> makeSplits(ArrayRef<int64_t> mesh, ArrayRef<uint8_t> factorOfAxis) {
  std::map<uint8_t, int64_t> parts;
  for (auto [size, factor] : llvm::zip_equal(mesh, factorOfAxis))
    parts.try_emplace(factor, 1).first->second *= size;
  SmallVector<Split> splits;
  for (auto [factor, count] : parts)
    splits.push_back({factor, count, {}});
  return splits;
}

std::vector<SmallVector<Split>> enumerateSplits(const Rule &rule, int64_t maxSplits) {
  std::vector<SmallVector<Split>> all;
  std::set<std::vector<std::pair<uint8_t, int64_t>>> seen;
  for (const std::vector<int64_t> &mesh : getMeshes()) {
    std::vector<uint8_t> factorOfAxis(mesh.size(), 0);
    do {
      SmallVector<Split> splits = makeSplits(mesh, factorOfAxis);
      std::vector<std::pair<uint8_t, int64_t>> key;
      for (const Split &split : splits)
        key.emplace_back(split.factor, split.parts);
      if (isValidSplit(rule, splits) && seen.insert(key).second)
        all.push_back(std::move(splits));
    } while (advance(factorOfAxis, rule.factors.size()));
  }
  int64_t count = all.size();
  if (count <= maxSplits)
    return all;
  // Evenly spaced, so that those of small and of large meshes are among them.
  std::vector<SmallVector<Split>> some;
  for (int64_t i = 0; i < maxSplits; ++i)
    some.push_back(std::move(all[i * count / maxSplits]));
  return some;
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// How many wrong splits of an op are reported, at most.
static constexpr size_t maxWrong = 8;

/// Number of runs of the whole op that missing splits are compared with. Many, since small tensors with few values
/// agree by chance.
static constexpr unsigned numMissingRuns = 12;

static InputKind getMissingKind(unsigned run) {
  return run % 4 == 2 ? InputKind::Special : run % 4 == 3 ? InputKind::Ring : InputKind::Exact;
}

bool isTooLarge(Operation *op, int64_t maxElements) {
  auto isLarge = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > maxElements;
  };
  return llvm::any_of(op->getOperandTypes(), isLarge) || llvm::any_of(op->getResultTypes(), isLarge);
}

/// Whether what comes in beyond the ends of a halo may show. A convolution multiplies zeros, as its padding has them by
/// the specification; the evaluator, and XLA for some convolutions, leave the padding out. That differs where a zero is
/// multiplied by infinity or by what is not a number. A select_and_scatter may select what is as small as all elements
/// of a window.
static bool showsEnds(Operation *op, const Rule &rule, ArrayRef<Split> splits) {
  return isa<stablehlo::ConvolutionOp, stablehlo::SelectAndScatterOp>(op) &&
         llvm::any_of(splits, [&](const Split &split) { return !rule.factors[split.factor].halo.isEmpty(); });
}

std::optional<WrongSplit> trySplits(const OpInstance &instance, const Rule &rule, ArrayRef<Split> splits,
                                    ArrayRef<NamedRun> runs, const ValidatorSetting &setting) {
  auto emit = [&](OpBuilder &builder, ValueRange operands, ArrayRef<Split> placed) {
    return emitLocal(builder, instance.op, rule, operands, placed, setting.table);
  };
  auto local = buildLocalProgram(instance.op, rule, splits, emit);
  if (!local)
    return WrongSplit{printSplits(splits), "any", {local.error().reason, -1, -1, "", "", ""}};
  for (const NamedRun &run : runs) {
    if (run.kind == InputKind::Special && showsEnds(instance.op, rule, splits))
      continue;
    if (auto difference = runSplit(instance.op, **local, rule, splits, run.run))
      return WrongSplit{printSplits(splits), validate::getName(run.kind).str(), std::move(*difference)};
  }
  return std::nullopt;
}

/// A split that is right only for the values of a constant operand does not count, so constants take any value here.
static void addMissing(Operation *op, const Rule &rule, const ValidatorSetting &setting, InstanceReport &report) {
  Result<OpInstance> instance = isolateOp(op, ArgumentFree::Opened);
  if (!instance)
    return;
  std::vector<WholeRun> runs;
  for (unsigned index = 0; index < numMissingRuns; ++index) {
    Result<WholeRun> run = runOn(*instance, getMissingKind(index), ringHash(setting.options.seed, index + 1));
    if (run)
      runs.push_back(std::move(*run));
  }
  for (const Rule &missing : findMissingSplits(*instance, rule, runs, setting.options.maxCandidates))
    report.missing.push_back(printRule(missing));
}

static void validateInstance(const OpInstance &instance, const ValidatorSetting &setting, InstanceReport &report) {
  Result<OpRule> rule = computeRule(instance.op, setting.userRules, setting.table);
  if (!rule) {
    report.skipped = rule.error().reason;
    return;
  }
  report.rule = printRule(rule->rule);
  report.whole = rule->whole;
  std::vector<SmallVector<Split>> all = enumerateSplits(rule->rule, setting.options.maxSplits);
  if (!all.empty()) {
    Result<std::vector<NamedRun>> runs = runAllKinds(instance, setting.options.seed);
    if (!runs) {
      report.skipped = runs.error().reason;
      return;
    }
    for (const NamedRun &run : *runs)
      report.inputs.push_back(validate::getName(run.kind).str());
    for (ArrayRef<Split> splits : all) {
      ++report.splits;
      auto wrong = trySplits(instance, rule->rule, splits, *runs, setting);
      if (wrong && report.wrong.size() < maxWrong)
        report.wrong.push_back(std::move(*wrong));
    }
  }
  addMissing(instance.op, rule->rule, setting, report);
}

InstanceReport validateOp(Operation *op, const ValidatorSetting &setting) {
  InstanceReport report;
  report.op = op->getName().getStringRef().str();
  if (auto function = op->getParentOfType<func::FuncOp>())
    report.function = function.getName().str();
  if (isTooLarge(op, setting.options.maxInstanceElements)) {
    report.skipped = "too large";
    return report;
  }
  Result<OpInstance> instance = isolateOp(op);
  if (!instance)
    report.skipped = instance.error().reason;
  else
    validateInstance(*instance, setting, report);
  return report;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printWrong(llvm::json::OStream &json, const WrongSplit &wrong) {
  json.object([&] {
    json.attribute("splits", wrong.splits);
    json.attribute("inputs", wrong.inputs);
    json.attribute("reason", wrong.difference.reason);
    json.attribute("result", wrong.difference.result);
    json.attribute("device", wrong.difference.device);
    json.attribute("index", wrong.difference.index);
    json.attribute("expected", wrong.difference.expected);
    json.attribute("got", wrong.difference.got);
  });
}

std::string printReport(const InstanceReport &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("op", report.op);
    json.attribute("function", report.function);
    json.attribute("rule", report.rule);
    json.attribute("whole", report.whole);
    json.attribute("splits", report.splits);
    json.attributeArray("inputs", [&] { llvm::for_each(report.inputs, [&](auto &name) { json.value(name); }); });
    json.attributeArray("wrong", [&] { llvm::for_each(report.wrong, [&](auto &w) { printWrong(json, w); }); });
    json.attributeArray("missing", [&] { llvm::for_each(report.missing, [&](auto &m) { json.value(m); }); });
    json.attribute("skipped", report.skipped);
  });
  return text + "\n";
}

Result<int64_t> countWrongOps(ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                              llvm::function_ref<bool(Operation *, const ValidatorSetting &)> isRight) {
  Result<UserRules> userRules = parseUserRules(rules);
  if (!userRules)
    return userRules.error();
  ValidatorSetting setting{program::rules::getRuleTable(), *userRules, options};
  int64_t wrong = 0;
  for (Operation *op : collectOps(module))
    wrong += isRight(op, setting) ? 0 : 1;
  return wrong;
}

Status validateRules(ModuleOp module, llvm::ArrayRef<std::string> rules, const ValidatorOptions &options,
                     std::string &text) {
  Result<int64_t> wrong = countWrongOps(module, rules, options, [&](Operation *op, const ValidatorSetting &setting) {
    InstanceReport report = validateOp(op, setting);
    text += printReport(report);
    return report.wrong.empty();
  });
  if (!wrong)
    return wrong.error();
  if (*wrong == 0)
    return std::nullopt;
  return Error::difference("the rules of " + std::to_string(*wrong) + " op(s) are wrong");
}

} // namespace partita::validate
