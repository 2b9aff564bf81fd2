//===- ColorWords.cpp - names colors by their use -------------------------===//
//
// The word depends on how arguments and ops use the color, never on names:
//
//   layers       a dim that a loop steps through
//   vocabulary   the dim of a parameter along which rows are looked up, by more
//                than positions; or the dim from which one element of each row is
//                picked, unless that is the batch
//   nodes        the dim of a computed value along which rows are looked up, in a
//                program that also adds rows up by integers that are fed
//   edges        a dim of the integers that index it
//   experts      a dim of a parameter that is a batch dim of its contraction
//   space        a dim that a window of several dims slides along
//   heads        a dim of a parameter, or the major part of one that a reshape
//                splits, and a batch dim in a contraction of two computed values
//   batch        dim 0 of an input
//   sequence     another dim of an input that no parameter is contracted along
//   embedding    contracted with a parameter, and the result dim of another
//                contraction whose result is added to the residual stream, in a
//                program that looks rows up in a parameter
//   hidden       the result dim of one parameter's contraction, and contracted
//                with another parameter
//   features     only contracted, or only a result dim
//
//===----------------------------------------------------------------------===//

#include "partita/Analysis/Colors.h"
#include "partita/Graph/BorderForms.h"

namespace partita::analysis {

namespace {

/// The uses of a color that were seen.
struct Signs {
  bool isStepped = false, isVocabulary = false, isPicked = false, isNodes = false, isEdges = false, isExperts = false;
  bool isMajor = false, isKeptApart = false, isSpace = false;
  bool isFirstOfInput = false, isOfInput = false;
  bool isGiven = false, isContracted = false, isSummed = false;
};

class WordFinder {
public:
  WordFinder(const Topology &topology, const ArgumentGroups &groups, Colors &colors)
      : topology(topology), graph(topology.getGraph()), groups(groups), colors(colors), signs(colors.list.size()),
        origins(graph.cells.size(), Origin::Computed) {}

  void run();

private:
  /// `Constant` is what depends on no argument but counters: positions.
  enum class Origin : uint8_t { Computed, Input, Parameter, Constant };

  void findOrigins();
  void addArguments();
  void addInput(CellId cell);
  void addContraction(OpId op);
  void addLookup(OpId op);
  bool addsUpRows() const;
  void addReshape(OpId op);
  void addWindow(OpId op);
  void addSum(OpId op);
  template <typename Set> void mark(CellId cell, uint32_t dim, Set set) {
    if (ColorId color = colors.ofDim[topology.getDim(cell, dim)]; color.isValid())
      set(signs[color]);
  }
  std::string choose(const Signs &signs) const;

  const Topology &topology;
  const Graph &graph;
  const ArgumentGroups &groups;
  Colors &colors;
  IdVector<ColorId, Signs> signs;
  IdVector<CellId, Origin> origins;
  bool isGraph = false, hasTable = false;
};

} // namespace

/// An argument that is cast, moved or padded still counts as that argument.
void WordFinder::findOrigins() {
  for (CellId cell : graph.arguments) {
    GroupKind kind = groups.list[groups.ofCell[cell]].kind;
    origins[cell] = kind == GroupKind::Parameter ? Origin::Parameter
                    : kind == GroupKind::Input   ? Origin::Input
                    : kind == GroupKind::Counter ? Origin::Constant
                                                 : Origin::Computed;
  }
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    if (info.numDefinitions != 1)
      continue;
    CellId result = graph.getResults(op)[0];
    auto isConstant = [&](CellId cell) { return origins[cell] == Origin::Constant; };
    if (info.role != IdentityRole::Yield && llvm::all_of(graph.getOperands(op), isConstant)) {
      origins[result] = Origin::Constant;
      continue;
    }
    bool isSlice = info.opClass == OpClass::Indexing && info.kind == OpKind::DynamicSlice;
    if (info.numUses == 1 || isSlice || isPad(graph, op))
      origins[result] = origins[graph.getOperands(op)[0]];
    // Indices are brought into range before they are used.
    llvm::StringRef element = graph.getName(graph.cells[result].element);
    bool isIndex = element.starts_with("i") || element.starts_with("ui");
    auto isInput = [&](CellId cell) { return origins[cell] == Origin::Input; };
    if (info.opClass == OpClass::Elementwise && isIndex && llvm::any_of(graph.getOperands(op), isInput))
      origins[result] = Origin::Input;
  }
}

void WordFinder::addArguments() {
  for (const SteppedDim &step : graph.steppedDims)
    mark(step.cell, step.dim, [](Signs &s) { s.isStepped = true; });
  for (CellId cell : graph.arguments)
    addInput(cell);
  // A dim that is padded or cut has a color of its own: the tokens without the last.
  auto changesSize = [&](OpId op) { return graph.ops[op].kind == OpKind::Slice || isPad(graph, op); };
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (changesSize(op) && graph.cells[graph.getOperands(op)[0]].kind == CellKind::Argument)
      addInput(graph.getResults(op)[0]);
}

void WordFinder::addInput(CellId cell) {
  if (origins[cell] != Origin::Input)
    return;
  bool isFirst = true;
  for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim) {
    ColorId color = colors.ofDim[topology.getDim(cell, dim)];
    if (!color.isValid() || signs[color].isStepped)
      continue;
    (isFirst ? signs[color].isFirstOfInput : signs[color].isOfInput) = true;
    isFirst = false;
  }
}

void WordFinder::addContraction(OpId op) {
  const Op &info = graph.ops[op];
  if (info.numUses < 2 || info.phase != Phase::Forward)
    return;
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  bool hasParameter = origins[operands[0]] == Origin::Parameter || origins[operands[1]] == Origin::Parameter;
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    if (entry.value >= 2)
      continue;
    auto isSameFactor = [&](uint16_t value) {
      return llvm::any_of(graph.getDimFactors(op),
                          [&](const DimFactor &other) { return other.value == value && other.factor == entry.factor; });
    };
    bool isInBoth = isSameFactor(1 - entry.value),
         isReduced = graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce;
    bool isOfParameter = origins[operands[entry.value]] == Origin::Parameter;
    mark(operands[entry.value], entry.dim, [&](Signs &s) {
      s.isExperts |= isInBoth && !isReduced && isOfParameter;
      s.isKeptApart |= isInBoth && !isReduced && !hasParameter;
      s.isContracted |= isReduced && hasParameter;
      s.isGiven |= !isInBoth && !isReduced && isOfParameter;
    });
  }
}

void WordFinder::addLookup(OpId op) {
  const Op &info = graph.ops[op];
  if (info.numUses < 2 || info.phase != Phase::Forward || info.kind != OpKind::Gather)
    return;
  CellId table = graph.getOperands(op)[0], indices = graph.getOperands(op)[1];
  llvm::ArrayRef<DimFactor> entries = graph.getDimFactors(op);
  // One of the classes of each row, as a loss picks it, is like one of the rows of a table.
  bool hasRows = llvm::any_of(entries, [&](const DimFactor &a) {
    return a.value == 0 &&
           llvm::any_of(entries, [&](const DimFactor &b) { return b.value == 1 && b.factor == a.factor; });
  });
  bool isGiven = origins[table] == Origin::Parameter || hasRows;
  // Positions are looked up in a table, too, but have no vocabulary.
  bool isVocabulary = hasRows || (isGiven && origins[indices] != Origin::Constant);
  hasTable |= isVocabulary && origins[table] == Origin::Parameter;
  for (const DimFactor &entry : entries) {
    bool isReduced = graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce;
    bool isOfNodes = isGraph && !isGiven && origins[indices] == Origin::Input;
    if (entry.value == 0 && isReduced)
      mark(table, entry.dim, [&](Signs &s) {
        s.isVocabulary |= isVocabulary && origins[table] == Origin::Parameter;
        s.isPicked |= hasRows;
        s.isNodes |= isOfNodes;
      });
    if (entry.value == 1 && isOfNodes)
      mark(indices, entry.dim, [&](Signs &s) { s.isEdges = true; });
  }
}

/// Whether rows are added up by integers that are fed, as a graph network does with what its edges send.
bool WordFinder::addsUpRows() const {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    if (info.kind == OpKind::Scatter && info.phase == Phase::Forward && info.numUses > 1 &&
        origins[graph.getOperands(op)[1]] == Origin::Input)
      return true;
  }
  return false;
}

void WordFinder::addReshape(OpId op) {
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    if (entry.position == 0)
      continue;
    uint32_t numUses = graph.ops[op].numUses;
    CellId cell =
        entry.value < numUses ? graph.getOperands(op)[entry.value] : graph.getResults(op)[entry.value - numUses];
    mark(cell, entry.dim, [](Signs &s) { s.isMajor = true; });
  }
}

/// Images have several dims that windows slide along; the one of a sequence is called that.
void WordFinder::addWindow(OpId op) {
  llvm::ArrayRef<Factor> factors = graph.getFactors(op);
  auto isSlid = [](const Factor &factor) { return !factor.halo.isEmpty(); };
  if (graph.ops[op].numUses == 0 || graph.ops[op].phase != Phase::Forward || llvm::count_if(factors, isSlid) < 2)
    return;
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && isSlid(factors[entry.factor]))
      mark(graph.getOperands(op)[0], entry.dim, [](Signs &s) { s.isSpace = true; });
}

void WordFinder::addSum(OpId op) {
  const Op &info = graph.ops[op];
  if (info.phase != Phase::Forward || info.opClass != OpClass::Elementwise || info.linearity != Linearity::Sum ||
      info.numUses != 2 || info.numDefinitions != 1)
    return;
  CellId cell = graph.getResults(op)[0];
  auto isParameter = [&](CellId operand) { return origins[operand] == Origin::Parameter; };
  if (topology.getUses(cell).size() >= 2 && llvm::none_of(graph.getOperands(op), isParameter))
    for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
      mark(cell, dim, [](Signs &s) { s.isSummed = true; });
}

std::string WordFinder::choose(const Signs &s) const {
  if (s.isStepped)
    return "layers";
  // A contrastive loss picks one of the batch.
  if (s.isVocabulary || (s.isPicked && !s.isFirstOfInput))
    return "vocabulary";
  if (s.isEdges)
    return "edges";
  if (s.isNodes)
    return "nodes";
  if (s.isSpace)
    return "space";
  if (s.isFirstOfInput)
    return "batch";
  if (s.isOfInput && !s.isContracted && !s.isGiven)
    return "sequence";
  if (s.isExperts)
    return "experts";
  if (s.isKeptApart && (s.isMajor || s.isGiven))
    return "heads";
  // Channels of images run through a residual stream, too, but embed nothing.
  if (s.isContracted && s.isSummed)
    return hasTable ? "embedding" : "features";
  if (s.isContracted && s.isGiven)
    return "hidden";
  return s.isContracted || s.isGiven ? "features" : "";
}

void WordFinder::run() {
  findOrigins();
  isGraph = addsUpRows();
  addArguments();
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].opClass == OpClass::Contraction)
      addContraction(op);
    addLookup(op);
    addReshape(op);
    addWindow(op);
    addSum(op);
  }
  for (ColorId id : idRange<ColorId>(colors.list.size()))
    colors.list[id].word = choose(signs[id]);
}

std::string getPhrase(const Color &color) {
  if (!color.word.empty())
    return color.word;
  return color.size > 0 ? "dim of size " + std::to_string(color.size) : "inner dims";
}

void nameColors(const Topology &topology, const ArgumentGroups &groups, Colors &colors) {
  WordFinder(topology, groups, colors).run();
}

} // namespace partita::analysis
