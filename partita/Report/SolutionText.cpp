//===- SolutionText.cpp - result of `partita solve` as text and JSON ------===//

#include "partita/Report/SolutionText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::report {

static int64_t saturate(Total sum) {
  return static_cast<int64_t>(std::clamp<Total>(sum, -Total(INT64_MAX), INT64_MAX));
}

std::string printSolution(const ChoiceProblem &problem, const Solution &solution) {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool isFound = solution.choices.size() == problem.nodes.size();
  out << "problem      " << problem.name << ": " << problem.nodes.size() << " nodes, " << problem.edges.size()
      << " edges; reduced to " << solution.numVariables << " variables, " << solution.numRows << " times\n";
  if (isFound)
    out << "cost         " << saturate(solution.value.cost) << "\n";
  if (!solution.isInfeasible)
    out << "lower bound  " << saturate(solution.lowerBound) << "\n";
  if (isFound) {
    out << "gap          " << llvm::format("%.3f", 100 * solution.computeGap()) << "%\n";
    out << "peak usage   " << saturate(solution.value.peakUsage);
    if (problem.usageLimit)
      out << " of " << *problem.usageLimit;
    out << "\nfound by     " << solution.stage << "\n";
  }
  out << "stopped      " << solution.stopped << " after " << solution.iterations << " iterations, " << solution.regions
      << " regions\n";
  if (isFound) {
    out << "choices      [";
    llvm::interleaveComma(solution.choices, out);
    out << "]\n";
  }
  return text;
}

std::string printSolutionJson(const ChoiceProblem &problem, const Solution &solution) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  bool isFound = solution.choices.size() == problem.nodes.size();
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(problem.name));
    json.attribute("nodes", static_cast<int64_t>(problem.nodes.size()));
    json.attribute("edges", static_cast<int64_t>(problem.edges.size()));
    json.attribute("variables", static_cast<int64_t>(solution.numVariables));
    json.attribute("cost", isFound ? llvm::json::Value(saturate(solution.value.cost)) : llvm::json::Value(nullptr));
    json.attribute("lower_bound", solution.isInfeasible ? llvm::json::Value(nullptr)
                                                        : llvm::json::Value(saturate(solution.lowerBound)));
    json.attribute("gap", isFound ? llvm::json::Value(solution.computeGap()) : llvm::json::Value(nullptr));
    json.attribute("peak_usage",
                   isFound ? llvm::json::Value(saturate(solution.value.peakUsage)) : llvm::json::Value(nullptr));
    json.attribute("usage_limit",
                   problem.usageLimit ? llvm::json::Value(*problem.usageLimit) : llvm::json::Value(nullptr));
    json.attribute("infeasible", solution.isInfeasible);
    json.attribute("stage", isFound ? llvm::json::Value(solution.stage) : llvm::json::Value(nullptr));
    json.attribute("stopped", solution.stopped);
    json.attribute("iterations", solution.iterations);
    json.attribute("regions", solution.regions);
    json.attributeArray("choices", [&] {
      for (uint32_t choice : solution.choices)
        json.value(static_cast<int64_t>(choice));
    });
  });
  return text + "\n";
}

Status checkSolution(const ChoiceProblem &problem, const Solution &solution) {
  if (!solution.choices.empty() || problem.nodes.empty())
    return std::nullopt;
  if (solution.isInfeasible)
    return Error::doesNotFit("no choice of strategies is within the usage limit")
        .withRemedy("raise \"usage_limit\", or give nodes strategies that use less");
  return Error::doesNotFit("no choice of strategies within the usage limit was found; there may be one")
      .withRemedy("raise --budget, or \"usage_limit\" in the file");
}

} // namespace partita::report
