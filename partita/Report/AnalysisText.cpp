//===- AnalysisText.cpp - an analysis as text and as JSON -----------------===//

#include "partita/Report/AnalysisText.h"

#include "partita/Report/RewriteText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace partita::report {

/// `f32[8,4]`.
static std::string printType(const Graph &graph, CellId cell) {
  std::string text = graph.getName(graph.cells[cell].element).str() + "[";
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
    text += (dim == 0 ? "" : ",") + std::to_string(size);
  return text + "]";
}

static std::vector<std::string> buildPatterns(const Analysis &analysis) {
  const Graph &graph = analysis.getGraph();
  CellNames names(graph);
  std::vector<std::string> patterns;
  for (const ArgumentGroup &group : analysis.getGroups().list.raw())
    patterns.push_back(buildGroupPattern(names, graph, group.members));
  return patterns;
}

/// The source line of a conflict's first op.
static std::string findSourceLocation(const Analysis &analysis, const ColorConflict &conflict) {
  const Graph &graph = analysis.getGraph();
  for (NodeId node : conflict.first.nodes)
    if (analysis.getTopology().isOp(node))
      return graph.getName(graph.ops[analysis.getTopology().getOp(node)].location).str();
  return "";
}

static size_t countConflictOps(const Analysis &analysis, const ColorConflict &conflict) {
  return llvm::count_if(conflict.first.nodes, [&](NodeId node) { return analysis.getTopology().isOp(node); });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeFolding(const Analysis &analysis, llvm::json::OStream &json) {
  json.attributeObject("folding", [&] {
    json.attribute("ops", static_cast<int64_t>(analysis.getGraph().ops.size()));
    json.attribute("folded_ops", static_cast<int64_t>(analysis.getFolding().graph.ops.size()));
    json.attributeArray("stacks", [&] {
      for (const FoldedStack &stack : analysis.getFolding().stacks)
        json.object([&] {
          json.attribute("removed", static_cast<int64_t>(stack.numRemoved));
          json.attribute("ops", static_cast<int64_t>(stack.opsPerPeriod));
        });
    });
  });
}

static void writeGroup(const Analysis &analysis, GroupId id, llvm::StringRef pattern, llvm::json::OStream &json) {
  const ArgumentGroup &group = analysis.getGroups().list[id];
  json.object([&] {
    json.attribute("kind", getWord(group.kind));
    json.attribute("pattern", pattern);
    json.attribute("count", static_cast<int64_t>(group.members.size()));
    json.attribute("type", printType(analysis.getGraph(), group.members.front()));
    json.attribute("bytes", group.bytes);
    // Of arguments; inner values have none.
    if (group.kind != GroupKind::Inner)
      json.attributeArray("members", [&] {
        for (CellId cell : group.members)
          json.value(static_cast<int64_t>(analysis.getGraph().cells[cell].number));
      });
    if (group.parameter.isValid())
      json.attribute("parameter", static_cast<int64_t>(group.parameter.get()));
  });
}

static void writeColor(const Color &color, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("word", color.word);
    json.attribute("size", color.size);
    json.attribute("dims", static_cast<int64_t>(color.dims.size()));
    json.attribute("bytes", color.bytes);
    json.attributeArray("arguments", [&] {
      for (auto [group, dim] : color.arguments)
        json.array([&, group = group, dim = dim] {
          json.value(static_cast<int64_t>(group.get()));
          json.value(static_cast<int64_t>(dim));
        });
    });
  });
}

static void writeConflict(const Analysis &analysis, const ColorConflict &conflict, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("place", findSourceLocation(analysis, conflict));
    json.attribute("count", static_cast<int64_t>(conflict.count));
    json.attribute("ops", static_cast<int64_t>(countConflictOps(analysis, conflict)));
    json.attributeArray("sides", [&] {
      for (const ColorSide &side : conflict.sides)
        json.array([&] {
          for (ColorId color : side.colors)
            json.value(static_cast<int64_t>(color.get()));
        });
    });
  });
}

static std::string printJson(const Analysis &analysis, llvm::ArrayRef<RematClass> classes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::vector<std::string> patterns = buildPatterns(analysis);
  llvm::json::OStream json(out, 1);
  json.object([&] {
    json.attribute("partita_analysis", 1);
    writeFolding(analysis, json);
    json.attributeArray("groups", [&] {
      for (GroupId id : idRange<GroupId>(analysis.getGroups().list.size()))
        writeGroup(analysis, id, patterns[id.get()], json);
    });
    json.attributeArray("colors", [&] {
      for (const Color &color : analysis.getColors().list.raw())
        writeColor(color, json);
    });
    json.attributeArray("conflicts", [&] {
      for (const ColorConflict &conflict : analysis.getColors().conflicts)
        writeConflict(analysis, conflict, json);
    });
    json.attributeArray("remat", [&] { writeRematClasses(classes, json); });
  });
  json.flush();
  out << "\n";
  out.flush();
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `batch` or, for a color without a name, `color 7`.
static std::string getTitle(const Analysis &analysis, ColorId id) {
  const std::string &word = analysis.getColors().list[id].word;
  return word.empty() ? "color " + std::to_string(id.get()) : word;
}

/// The beginning of a long text.
static std::string shorten(llvm::StringRef text) {
  constexpr size_t maxLength = 96;
  return text.size() <= maxLength ? text.str() : text.take_front(maxLength).str() + "...";
}

static void printColors(const Analysis &analysis, llvm::ArrayRef<std::string> patterns, llvm::raw_ostream &out) {
  out << "colors:\n";
  for (ColorId id : idRange<ColorId>(analysis.getColors().list.size())) {
    const Color &color = analysis.getColors().list[id];
    out << llvm::formatv("  {0,3} {1,-12} {2,8}  {3} dims\n", id.get(), getTitle(analysis, id),
                         color.size == 0 ? "" : std::to_string(color.size), color.dims.size());
    for (auto [group, dim] : color.arguments)
      if (analysis.getGroups().list[group].kind != GroupKind::OptimizerState)
        out << "        dim " << dim << " of " << shorten(patterns[group.get()]) << "\n";
  }
}

static std::string printText(const Analysis &analysis, llvm::ArrayRef<RematClass> classes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::vector<std::string> patterns = buildPatterns(analysis);
  out << "ops: " << analysis.getGraph().ops.size() << ", folded to " << analysis.getFolding().graph.ops.size() << "\n";
  for (const FoldedStack &stack : analysis.getFolding().stacks)
    out << "  " << stack.numRemoved << " x " << stack.opsPerPeriod << " ops cut out\n";
  out << "groups:\n";
  for (GroupId id : idRange<GroupId>(analysis.getGroups().list.size())) {
    const ArgumentGroup &group = analysis.getGroups().list[id];
    out << llvm::formatv("  {0,3} {1,-15} {2,4} x {3,-24} {4}\n", id.get(), getWord(group.kind), group.members.size(),
                         printType(analysis.getGraph(), group.members.front()), shorten(patterns[id.get()]));
  }
  printColors(analysis, patterns, out);
  if (!analysis.getColors().conflicts.empty())
    out << "conflicts:\n";
  for (const ColorConflict &conflict : analysis.getColors().conflicts) {
    out << "  " << findSourceLocation(analysis, conflict) << ": " << countConflictOps(analysis, conflict) << " ops, "
        << conflict.count << " times:";
    for (auto [number, side] : llvm::enumerate(conflict.sides)) {
      out << (number == 0 ? " " : " or ");
      for (auto [index, color] : llvm::enumerate(side.colors))
        out << (index == 0 ? "" : " and ") << getTitle(analysis, color);
    }
    out << "\n";
  }
  if (!classes.empty())
    out << "values of the forward pass that the backward pass needs:\n" << printRematClasses(classes);
  out.flush();
  return text;
}

std::string printAnalysis(const AnalyzedProgram &program, bool asJson) {
  Analysis analysis(program.graph);
  return asJson ? printJson(analysis, program.classes) : printText(analysis, program.classes);
}

} // namespace partita::report
