//===- ColorWords.cpp - names colors by their use -------------------------===//
//
// The word depends on how arguments and ops use the color, never on names:
//
//   layers       a dim that a loop steps through, unless inputs have it
//   vocabulary   the dim of a parameter along which rows are looked up, by more
//                than positions; or the dim from which one element of each row is
//                picked, unless that is the batch
//   nodes        the dim of a computed value along which rows are looked up, in a
//                program that also adds rows up by integers that are fed
//   edges        a dim of the integers that index it
//   experts      a dim of a parameter that holds a matrix for each of its elements:
//                a batch dim of its contraction
//   members      such a dim, if it is the first one of all parameters
//   space        a dim that a window of several dims slides along, or that a cell is
//                shifted along, as along another one of its dims
//   heads        a dim of a parameter, or the major part of one that a reshape
//                splits, and a batch dim in a contraction of two computed values
//   batch        dim 0 of an input, unless elements along it are compared with each
//                other; in training without inputs, of a state
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
#include "partita/Graph/ElementTypes.h"
#include "partita/Graph/LinkedDims.h"

namespace partita::analysis {

namespace {

/// The uses of a color that were seen.
struct Signs {
  bool isStepped = false, isVocabulary = false, isPicked = false, isNodes = false, isEdges = false, isExperts = false;
  bool isMajor = false, isKeptApart = false, isSpace = false, isFirstOfParameters = false;
  bool isFirstOfInput = false, isOfInput = false, isSteppedInput = false;
  bool isGiven = false, isContracted = false, isSummed = false;
};

class WordFinder {
public:
  WordFinder(const Topology &topology, const ArgumentGroups &groups, Colors &colors)
      : topology(topology), graph(topology.getGraph()), groups(groups), colors(colors), signs(colors.list.size()),
        origins(graph.cells.size(), Origin::Computed), classes(graph) {}

  void run();

private:
  /// `Constant` is what depends on no argument but counters: positions.
  enum class Origin : uint8_t { Computed, Input, Parameter, Constant };

  Origin findOrigin(CellId argument, bool isPlayed) const;
  void findOrigins();
  void findCompared();
  void addArguments();
  void addParameters();
  void addShifts();
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
  LinkedDims classes;
  /// By class of dims: whether elements along it are compared with each other, so that it is no batch.
  std::vector<uint8_t> isCompared;
  bool isGraph = false, hasTable = false;
};

} // namespace

/// Tokens that are written to are as those that are fed. If nothing is fed, environments are played from state.
WordFinder::Origin WordFinder::findOrigin(CellId argument, bool isPlayed) const {
  bool isToken = !isFloat(graph, argument) && graph.cells[argument].elementBits >= 32;
  switch (groups.list[groups.ofCell[argument]].kind) {
  case GroupKind::Parameter:
    return Origin::Parameter;
  case GroupKind::Input:
    return Origin::Input;
  case GroupKind::Counter:
    return Origin::Constant;
  case GroupKind::State:
    return isPlayed || isToken ? Origin::Input : Origin::Computed;
  default:
    return Origin::Computed;
  }
}

/// An argument that is cast, moved or padded still counts as that argument.
void WordFinder::findOrigins() {
  auto getKind = [&](CellId cell) { return groups.list[groups.ofCell[cell]].kind; };
  auto isFed = [&](CellId cell) { return getKind(cell) == GroupKind::Input && graph.cells[cell].rank > 0; };
  auto isParameter = [&](CellId cell) { return getKind(cell) == GroupKind::Parameter; };
  bool isPlayed = llvm::none_of(graph.arguments, isFed) && llvm::any_of(graph.arguments, isParameter);
  for (CellId cell : graph.arguments)
    origins[cell] = findOrigin(cell, isPlayed);
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

/// Classes of dims of inputs that a product of two computed values sums over, so that other dims of inputs are left
/// (attention), and those that one input has twice.
void WordFinder::findCompared() {
  std::vector<uint8_t> isOfInputs(classes.size(), 0);
  isCompared.assign(classes.size(), 0);
  for (CellId cell : graph.arguments) {
    if (origins[cell] != Origin::Input)
      continue;
    for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
      for (uint32_t other = 0; other < dim; ++other)
        if (classes.get(cell, dim) == classes.get(cell, other))
          isCompared[classes.get(cell, dim)] = 1;
    classes.add(cell, isOfInputs);
  }
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    llvm::ArrayRef<CellId> operands = graph.getOperands(op);
    auto isParameter = [&](CellId cell) { return origins[cell] == Origin::Parameter; };
    if (info.opClass != OpClass::Contraction || info.phase != Phase::Forward || llvm::any_of(operands, isParameter) ||
        !classes.anyIn(graph.getResults(op)[0], isOfInputs))
      continue;
    for (const DimFactor &entry : graph.getDimFactors(op))
      if (entry.value < info.numUses && graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce)
        if (DimClass summed = classes.get(operands[entry.value], entry.dim); isOfInputs[summed])
          isCompared[summed] = 1;
  }
}

void WordFinder::addParameters() {
  std::optional<ColorId> first;
  uint32_t numGroups = 0;
  for (GroupId id : idRange<GroupId>(groups.list.size())) {
    if (groups.list[id].kind != GroupKind::Parameter)
      continue;
    CellId cell = groups.list[id].members.front();
    ColorId color = graph.cells[cell].rank > 0 ? colors.ofDim[topology.getDim(cell, 0)] : ColorId();
    if (!color.isValid() || (first && *first != color))
      return;
    first = color;
    ++numGroups;
  }
  if (numGroups > 1)
    signs[*first].isFirstOfParameters = true;
}

/// Whether the op moves rows of its result's dim.
static bool movesRows(const Graph &graph, OpId op, uint32_t dim) {
  return llvm::any_of(graph.getDimFactors(op), [&](const DimFactor &entry) {
    const Factor &factor = graph.getFactors(op)[entry.factor];
    return entry.value == graph.ops[op].numUses && entry.dim == dim &&
           (factor.shift || factor.kind == FactorKind::Window);
  });
}

/// Differences of neighbours: most rows of a cell are taken, or moved, along several of its dims.
void WordFinder::addShifts() {
  IdVector<CellId, uint64_t> shifted(graph.cells.size(), 0);
  constexpr uint32_t maxRank = 64;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool shifts = isShift(graph, op);
    if ((graph.ops[op].kind != OpKind::Slice && !shifts) || graph.ops[op].phase != Phase::Forward)
      continue;
    CellId from = graph.getOperands(op)[0], to = graph.getResults(op)[0];
    for (uint32_t dim = 0; dim < std::min(graph.cells[from].rank, maxRank); ++dim) {
      int64_t size = graph.getShape(from)[dim], part = graph.getShape(to)[dim];
      if (shifts ? movesRows(graph, op, dim) : part < size && part * 2 > size)
        shifted[from] |= uint64_t(1) << dim;
    }
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (llvm::popcount(shifted[cell]) > 1)
      for (uint32_t dim = 0; dim < std::min(graph.cells[cell].rank, maxRank); ++dim)
        if (shifted[cell] >> dim & 1)
          mark(cell, dim, [](Signs &s) { s.isSpace = true; });
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
    if (!color.isValid())
      continue;
    if (signs[color].isStepped) {
      signs[color].isSteppedInput = true;
      signs[color].isOfInput |= !isFirst;
      continue;
    }
    // What is compared has no sure name as a first dim.
    if (!isFirst || !isCompared[classes.get(cell, dim)])
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
  // A matrix for each expert: dims that are summed over and dims that are left, beside the one that counts experts.
  auto hasMatrices = [&](const DimFactor &batch) {
    bool isSummed = false, isLeft = false;
    for (const DimFactor &other : graph.getDimFactors(op)) {
      if (other.value != batch.value)
        continue;
      if (other.dim == batch.dim && other.factor != batch.factor)
        return false;
      bool isShared = llvm::any_of(graph.getDimFactors(op), [&](const DimFactor &entry) {
        return entry.value == 1 - batch.value && entry.factor == other.factor;
      });
      isSummed |= graph.getFactors(op)[other.factor].kind == FactorKind::Reduce;
      isLeft |= !isShared;
    }
    return isSummed && isLeft;
  };
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
      s.isExperts |= isInBoth && !isReduced && isOfParameter && hasMatrices(entry);
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
  // What a loop over layers yields is used as it enters the next layer.
  auto countUses = [&](CellId value) {
    size_t count = 0;
    for (UseId use : topology.getUses(value)) {
      OpId user = topology.getUser(use);
      bool isYield = graph.ops[user].role == IdentityRole::Yield;
      count += isYield ? topology.getUses(graph.getResults(user)[0]).size() : 1;
    }
    return count;
  };
  // What goes on beside a block is used by the block, too; the stream begins with rows of tables.
  auto isOfStream = [&](CellId operand) {
    OpId definition = topology.getDefinition(operand);
    for (int steps = 0; steps < 4 && definition.isValid() && graph.ops[definition].numUses == 1; ++steps)
      definition = topology.getDefinition(graph.getOperands(definition)[0]);
    return topology.getUses(operand).size() >= 2 ||
           (definition.isValid() && graph.ops[definition].kind == OpKind::Gather);
  };
  if (countUses(cell) >= 2 && llvm::none_of(graph.getOperands(op), isParameter) &&
      llvm::any_of(graph.getOperands(op), isOfStream))
    for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
      mark(cell, dim, [](Signs &s) { s.isSummed = true; });
}

std::string WordFinder::choose(const Signs &s) const {
  if (s.isStepped && !s.isSteppedInput)
    return "layers";
  if (s.isStepped)
    return s.isOfInput ? "sequence" : "";
  // A contrastive loss picks one of the batch.
  if (s.isVocabulary || (s.isPicked && !s.isFirstOfInput))
    return "vocabulary";
  if (s.isEdges)
    return "edges";
  if (s.isNodes)
    return "nodes";
  if (s.isSpace)
    return "space";
  if (s.isFirstOfInput && !(s.isContracted && s.isGiven))
    return "batch";
  if (s.isOfInput && !s.isContracted && !s.isGiven)
    return "sequence";
  if (s.isExperts)
    return s.isFirstOfParameters ? "members" : "experts";
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
  findCompared();
  isGraph = addsUpRows();
  addArguments();
  addParameters();
  addShifts();
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
