//===- ReductionText.cpp - programs of a collective as JSON ---------------===//

#include "partita/Report/ReductionText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace partita::report {

static llvm::StringRef getLevel(const ReductionFactor &factor, const Machine &machine) {
  return machine.levels[factor.parts.front().level].name;
}

static llvm::json::Object describe(const PricedProgram &priced, llvm::ArrayRef<ReductionFactor> factors,
                                   const Machine &machine) {
  llvm::json::Array steps;
  for (const ReductionStep &step : priced.program.steps) {
    llvm::json::Array levels;
    for (uint32_t factor : step.factors)
      levels.push_back(getLevel(factors[factor], machine));
    steps.push_back(llvm::json::Array{getName(step.kind), std::move(levels)});
  }
  return llvm::json::Object{
      {"steps", std::move(steps)}, {"time_ps", priced.timePs}, {"reordered", priced.program.isReordered}};
}

std::optional<std::string> printPrograms(Synthesizer &synthesizer, const Machine &machine,
                                         const CollectiveRequest &request, size_t most) {
  std::optional<StepKind> goal = findStepKind(request.kind);
  if (!goal)
    return std::nullopt;
  std::vector<ReductionFactor> factors = listFactors(request.parts);
  llvm::json::Array sizes, programs;
  llvm::SmallVector<int64_t, 4> numbers;
  for (const ReductionFactor &factor : factors) {
    numbers.push_back(factor.getSize());
    sizes.push_back(llvm::json::Object{{"level", getLevel(factor, machine)}, {"size", factor.getSize()}});
  }
  SynthesisRequest wanted{*goal, factors, request.payloadBytes};
  std::vector<PricedProgram> list;
  for (const ReductionProgram &program : synthesizer.list(*goal, factors.size(), most))
    if (isProven(program, *goal, numbers))
      list.push_back({program, priceProgram(machine, wanted, program)});
  std::vector<std::pair<int64_t, size_t>> order;
  for (auto [index, each] : llvm::enumerate(list))
    order.emplace_back(each.timePs, index);
  llvm::sort(order);
  for (auto [timePs, index] : order)
    programs.push_back(describe(list[index], factors, machine));
  llvm::json::Object object{{"factors", std::move(sizes)},
                            {"plain_ps", priceCollective(machine, request).timePs},
                            {"fastest", describe(synthesizer.findFastest(machine, wanted), factors, machine)},
                            {"programs", std::move(programs)}};
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
}

} // namespace partita::report
