//===- PaddingText.cpp - what was padded, as a text -----------------------===//

#include "partita/Report/PaddingText.h"

#include "partita/Report/Units.h"
#include "partita/Support/Words.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace partita::report {

/// `50257 -> 50264 (0.01%)`.
static std::string printSizes(const PaddedDim &dim) {
  double waste = 100.0 * double(dim.paddedSize - dim.size) / double(dim.size);
  std::string text;
  llvm::raw_string_ostream(text) << dim.size << " -> " << dim.paddedSize
                                 << llvm::format(waste < 1 ? " (%.2f%%)" : " (%.0f%%)", waste);
  return text;
}

static std::string printPlace(const PaddedDim &dim) {
  return "dim " + std::to_string(dim.dim) + " of " + shortenName(dim.name, 60);
}

std::string describePadded(const PaddedDim &dim) { return printPlace(dim) + ", " + printSizes(dim); }

/// The value of the plan's program that has the dim's new size; invalid if its name is gone. A result may have the name
/// of an argument.
static CellId findPaddedCell(const Plan &plan, const PaddedDim &dim) {
  const Graph &graph = plan.getGraph();
  auto isPadded = [&](CellId cell) {
    return cell.isValid() && dim.dim < graph.cells[cell].rank && graph.getShape(cell)[dim.dim] == dim.paddedSize;
  };
  for (CellId cell : graph.arguments)
    if (isPadded(cell) && graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence) == dim.name)
      return cell;
  for (const std::string &name : {dim.name, padding::namePadded(dim.name) + "#0"})
    if (CellId cell = plan.program.names.find(name); isPadded(cell))
      return cell;
  return {};
}

/// The axes over which most of a color's bytes are split; at the border, where dims have their own sizes, fewer may be.
static std::vector<std::string> findAxes(const Plan &plan, const Topology &topology, const Color &color) {
  std::map<std::vector<std::string>, int64_t> bytesOf;
  for (DimId dim : color.dims) {
    CellId cell = topology.getCell(dim);
    auto sharding = plan.assignment.getCellSharding(cell);
    bytesOf[getNames(plan.axes, sharding.dims[topology.getDimNumber(dim)])] += plan.getGraph().getBytes(cell);
  }
  auto most = llvm::max_element(bytesOf, [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == bytesOf.end() ? std::vector<std::string>() : most->first;
}

/// What a person calls the dim, and the axes that split it: `heads over model`; empty without a word.
static std::string findWords(const Plan &plan, const Analysis &analysis, const PaddedDim &dim) {
  CellId cell = findPaddedCell(plan, dim);
  const Colors &colors = analysis.getColors();
  const Topology &topology = analysis.getTopology();
  ColorId id = cell.isValid() ? colors.ofDim[topology.getDim(cell, dim.dim)] : ColorId();
  if (!id.isValid() || colors.list[id].word.empty())
    return "";
  std::vector<std::string> axes = findAxes(plan, topology, colors.list[id]);
  return colors.list[id].word + (axes.empty() ? "" : " over ") + joinWords(axes);
}

namespace {

/// Dims that are told alike: those of all layers, of which the first stands for the others.
struct PaddedPart {
  std::string what, place;
  size_t numOthers = 0;

  std::string print() const {
    return what + (place.empty() ? "" : ", " + place) +
           (numOthers > 0 ? " and " + std::to_string(numOthers) + " more" : "");
  }
};

} // namespace

static std::vector<PaddedPart> listParts(const PaddingReport &padding, const Plan &plan, const Analysis &analysis) {
  std::vector<PaddedPart> parts;
  for (const PaddedDim &dim : padding.dims) {
    std::string words = findWords(plan, analysis, dim);
    PaddedPart part{describePadded(dim), ""};
    if (!words.empty())
      part = {words + ", padded " + printSizes(dim), printPlace(dim)};
    auto known = llvm::find_if(parts, [&](const PaddedPart &other) { return other.what == part.what; });
    if (known == parts.end())
      parts.push_back(std::move(part));
    else
      ++known->numOthers;
  }
  return parts;
}

std::string describePadding(const Rewrites &rewrites, const Plan &plan, const Analysis &analysis) {
  if (!rewrites.padding || rewrites.padding->dims.empty())
    return "";
  constexpr size_t maxParts = 4;
  std::vector<PaddedPart> parts = listParts(*rewrites.padding, plan, analysis);
  std::vector<std::string> texts;
  for (const PaddedPart &part : llvm::ArrayRef(parts).take_front(maxParts))
    texts.push_back(part.print());
  if (parts.size() > maxParts)
    texts.push_back(std::to_string(parts.size() - maxParts) + " more");
  const PaddingCounts &counts = rewrites.padding->counts;
  return llvm::join(texts, "; ") + "; " + countWord(counts.numOps, "op") + " compute with it, " +
         countWord(counts.numPads, "value") + " padded and " + std::to_string(counts.numCuts) + " cut back";
}

} // namespace partita::report
