//===- PaddingChoice.cpp - which dims a search tries to pad ---------------===//

#include "partita/Variants/PaddingChoice.h"

#include "partita/Padding/UnevenTiles.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Variants/Microbatches.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace partita::variants {

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

static int64_t pad(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

/// The sizes of axes, and of several axes together; with `hasParts` of parts of one axis as well.
static std::set<int64_t, std::greater<>> listPieces(const Mesh &mesh, bool hasParts) {
  std::set<int64_t, std::greater<>> pieces{1};
  for (const MeshAxis &axis : mesh.axes)
    for (int64_t known : std::vector<int64_t>(pieces.begin(), pieces.end()))
      pieces.insert(known * axis.size);
  for (const MeshAxis &axis : mesh.axes)
    for (int64_t part = 2; hasParts && part < axis.size; ++part)
      if (axis.size % part == 0)
        pieces.insert(part);
  pieces.erase(1);
  return pieces;
}

std::vector<int64_t> listMultiples(int64_t size, const Mesh &mesh, bool isCompound) {
  std::vector<int64_t> multiples;
  for (int64_t pieces : listPieces(mesh, isCompound)) {
    int64_t padded = pad(size, pieces);
    // A larger multiple serves for its divisors, too, unless these make the dim noticeably less long.
    auto serves = [&](int64_t larger) { return larger % pieces == 0 && (pad(size, larger) - padded) * 100 <= size; };
    if (size > 1 && size % pieces != 0 && 2 * padded <= 3 * size && llvm::none_of(multiples, serves))
      multiples.push_back(pieces);
  }
  return multiples;
}

/// The multiple with which each piece is one of 16 bytes, too, whatever the type: products read such rows faster. The
/// same multiple if the pieces are so anyway, or would become noticeably longer.
static int64_t alignPieces(int64_t size, int64_t pieces) {
  constexpr int64_t elements = 8;
  int64_t padded = pad(size, pieces), aligned = pad(size, elements * pieces);
  bool isLong = (aligned - padded) * 50 > size;
  return isLong || padded / pieces % elements == 0 ? pieces : elements * pieces;
}

/// For dims that devices divide, but not the number of their windows, or what is cut out of them: all devices, or the
/// largest axis that does.
static std::vector<int64_t> listDivisors(int64_t size, const Mesh &mesh) {
  if (size % mesh.getNumDevices() == 0)
    return {mesh.getNumDevices()};
  int64_t best = 1;
  for (const MeshAxis &axis : mesh.axes)
    if (size % axis.size == 0)
      best = std::max(best, axis.size);
  return best > 1 ? std::vector<int64_t>{best} : std::vector<int64_t>();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {

/// The dims of a class that have one size, and the largest argument and inner value among them.
struct SizedDims {
  double bytes = 0;
  CellId argument, inner;
  uint32_t argumentDim = 0, innerDim = 0;
};

using DimsOfClasses = std::map<DimClass, SizedDims>;

/// Of a group, by size.
using DimsBySize = std::map<int64_t, DimsOfClasses>;

class CandidateFinder {
public:
  CandidateFinder(const Flattened &flattened, const LazyAnalysis &analysis, const Mesh &mesh)
      : flattened(flattened), analysis(analysis), graph(flattened.graph), mesh(mesh), linked(graph),
        isSlid(padding::findSlidDims(graph, linked)) {
    // Rows that stencils cut off and add again.
    for (auto [known, isCut] : llvm::zip_equal(isSlid, padding::findCutDims(graph, linked, mesh.getNumDevices())))
      known |= isCut;
  }

  std::vector<PaddingCandidate> run();

private:
  bool findOpenClasses();
  void findFreeCells();
  void collect(CellId cell, const DimGroups &groups);
  std::vector<int64_t> listMultiplesOf(int64_t size, const DimsBySize &sizes) const;
  double sumBytes(int64_t size, const DimsBySize &sizes) const;
  void addCandidates(DimGroup group, const DimsBySize &sizes, const CellNames &names);

  const Flattened &flattened;
  const LazyAnalysis &analysis;
  const Graph &graph;
  const Mesh &mesh;
  LinkedDims linked;
  std::vector<uint8_t> isSlid;
  /// Classes of which a size has multiples; most programs have none.
  std::vector<uint8_t> isOpen;
  /// What depends on no argument is made in any size.
  IdVector<CellId, uint8_t> isFree;
  double allBytes = 0;
  std::map<DimGroup, DimsBySize> groupsBySize;
  std::vector<PaddingCandidate> found;
};

} // namespace

/// False if there is none.
bool CandidateFinder::findOpenClasses() {
  std::map<int64_t, bool> hasMultiples;
  isOpen = isSlid;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell))) {
      auto [known, isNew] = hasMultiples.try_emplace(size, false);
      if (isNew)
        known->second = !listMultiples(size, mesh, /*isCompound=*/true).empty();
      isOpen[linked.get(cell, dim)] |= known->second;
    }
  return llvm::is_contained(isOpen, 1);
}

void CandidateFinder::findFreeCells() {
  isFree = IdVector<CellId, uint8_t>(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(flattened.origins.size()))
    if (flattened.freeOps.contains(flattened.origins[op]))
      for (CellId result : graph.getResults(op))
        isFree[result] = 1;
}

void CandidateFinder::collect(CellId cell, const DimGroups &groups) {
  auto bytes = double(graph.getBytes(cell));
  bool isArgument = graph.cells[cell].kind == CellKind::Argument;
  bool isInner = graph.cells[cell].kind == CellKind::OpResult && !isFree[cell];
  allBytes += bytes;
  auto isLarger = [&](CellId than) { return !than.isValid() || graph.getBytes(than) < graph.getBytes(cell); };
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell))) {
    DimClass dimClass = linked.get(cell, dim);
    if (size < 2 || !isOpen[dimClass])
      continue;
    SizedDims &dims = groupsBySize[groups.get(dimClass)][size][dimClass];
    dims.bytes += bytes;
    if (isArgument && isLarger(dims.argument)) {
      dims.argument = cell;
      dims.argumentDim = dim;
    } else if (isInner && isLarger(dims.inner)) {
      dims.inner = cell;
      dims.innerDim = dim;
    }
  }
}

/// Whether a class has dims of both sizes.
static bool haveCommonClass(const DimsOfClasses &a, const DimsOfClasses &b) {
  return llvm::any_of(a, [&](const auto &entry) { return b.count(entry.first) > 0; });
}

/// Whether the rewrite would add whole rows of that dim (Padding/PaddingTactics.cpp), which are a dim of the class,
/// too: then these are the candidate.
static bool hasRows(int64_t size, int64_t multiple, const DimsBySize &sizes) {
  return llvm::any_of(sizes, [&](const auto &other) {
    int64_t rows = other.first;
    return rows < size && size % rows == 0 && 3 * pad(rows, multiple) <= 4 * rows &&
           haveCommonClass(other.second, sizes.at(size));
  });
}

std::vector<int64_t> CandidateFinder::listMultiplesOf(int64_t size, const DimsBySize &sizes) const {
  bool isCompound = llvm::any_of(sizes, [&](const auto &other) {
    return other.first > size && other.first % size == 0 && haveCommonClass(other.second, sizes.at(size));
  });
  std::vector<int64_t> multiples = listMultiples(size, mesh, isCompound);
  if (multiples.empty() && llvm::any_of(sizes.at(size), [&](const auto &entry) { return isSlid[entry.first]; }))
    return listDivisors(size, mesh);
  return multiples;
}

/// Of the dims of that size, and of those that have them as their major part.
double CandidateFinder::sumBytes(int64_t size, const DimsBySize &sizes) const {
  double bytes = 0;
  for (const auto &[other, classes] : sizes)
    for (const auto &[dimClass, dims] : classes)
      bytes += other % size == 0 && sizes.at(size).count(dimClass) > 0 ? dims.bytes : 0;
  return bytes;
}

void CandidateFinder::addCandidates(DimGroup group, const DimsBySize &sizes, const CellNames &names) {
  constexpr double leastShare = 0.02;
  for (const auto &[size, classes] : sizes) {
    std::vector<int64_t> multiples = listMultiplesOf(size, sizes);
    PaddingCandidate candidate{group};
    candidate.size = size;
    candidate.bytes = multiples.empty() ? 0 : sumBytes(size, sizes);
    if (multiples.empty() || candidate.bytes < allBytes * leastShare)
      continue;
    for (const auto &[dimClass, dims] : classes) {
      bool isArgument = dims.argument.isValid();
      CellId cell = isArgument ? dims.argument : dims.inner;
      if (!cell.isValid())
        continue;
      candidate.isInner |= !isArgument;
      candidate.classes.push_back(dimClass);
      candidate.dims.push_back({cell, isArgument ? dims.argumentDim : dims.innerDim, names.getName(cell)});
    }
    for (int64_t pieces : multiples)
      for (int64_t multiple : std::set<int64_t>{pieces, alignPieces(size, pieces)}) {
        if (candidate.dims.empty() || hasRows(size, multiple, sizes))
          continue;
        candidate.pieces = pieces;
        candidate.multiple = multiple;
        candidate.paddedSize = pad(size, multiple);
        found.push_back(candidate);
      }
  }
}

std::vector<PaddingCandidate> CandidateFinder::run() {
  if (!findOpenClasses())
    return {};
  DimGroups groups(analysis.get(), linked);
  findFreeCells();
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    collect(cell, groups);
  CellNames names(graph);
  for (const auto &[group, sizes] : groupsBySize)
    addCandidates(group, sizes, names);
  return std::move(found);
}

std::vector<PaddingCandidate> listPadding(const Flattened &flattened, const LazyAnalysis &analysis, const Mesh &mesh) {
  return CandidateFinder(flattened, analysis, mesh).run();
}

//===----------------------------------------------------------------------===//
// Gains
//===----------------------------------------------------------------------===//

namespace {

class GainBound {
public:
  GainBound(const Price &price, const Analysis &analysis, llvm::MutableArrayRef<PaddingCandidate> candidates)
      : price(price), graph(price.plan.getGraph()), linked(graph), groups(analysis, linked), candidates(candidates),
        reshardPs(candidates.size(), 0) {
    for (auto [number, candidate] : llvm::enumerate(candidates))
      ofGroup[candidate.group].push_back(number);
  }

  void run();

private:
  int64_t countDevices(OpId op) const;
  bool isAligned(OpId op, const PaddingCandidate *candidate, int64_t pieces) const;
  int64_t boundGain(const OpTime &time, uint8_t factor, const PaddingCandidate &candidate) const;
  void add(const OpTime &time);
  void add(const ReshardLine &line);
  DimGroup getGroup(CellId cell, uint32_t dim) const { return groups.get(linked.get(cell, dim)); }
  bool has(const PaddingCandidate &candidate, CellId cell, uint32_t dim) const {
    return graph.getShape(cell)[dim] % candidate.size == 0 &&
           llvm::binary_search(candidate.classes, linked.get(cell, dim));
  }
  int64_t getParts(OpId op, uint8_t factor) const {
    return price.plan.assignment.getParts(price.plan.program.topology.getNode(op), factor);
  }

  const Price &price;
  const Graph &graph;
  LinkedDims linked;
  DimGroups groups;
  llvm::MutableArrayRef<PaddingCandidate> candidates;
  std::vector<int64_t> reshardPs;
  std::map<DimGroup, std::vector<size_t>> ofGroup;
};

} // namespace

/// The devices that share the work of an op.
int64_t GainBound::countDevices(OpId op) const {
  const Assignment &assignment = price.plan.assignment;
  int64_t devices = 1;
  for (AxisId axis : idRange<AxisId>(price.plan.axes.size())) {
    uint8_t factor = assignment.getFactor(price.plan.program.topology.getNode(op), axis);
    devices *= factor == noFactor || factor == sumFactor ? 1 : price.plan.axes[axis].size;
  }
  return devices;
}

/// Whether the rows of a product's operands are multiples of 16 bytes, as prices of products ask (Cost/OpPrice.h), if
/// the group of the candidate, which may be null, is padded and in so many pieces.
bool GainBound::isAligned(OpId op, const PaddingCandidate *candidate, int64_t pieces) const {
  if (graph.ops[op].opClass != OpClass::Contraction || graph.ops[op].numUses < 2)
    return true;
  for (uint32_t operand : {0u, 1u}) {
    CellId cell = graph.getOperands(op)[operand];
    if (graph.cells[cell].rank == 0)
      continue;
    uint32_t last = graph.cells[cell].rank - 1;
    int64_t size = graph.getShape(cell)[last];
    if (candidate && has(*candidate, cell, last)) {
      size = size / candidate->size * candidate->paddedSize / pieces;
    } else {
      for (const DimFactor &entry : graph.getDimFactors(op))
        size /= entry.value == operand && entry.dim == last ? getParts(op, entry.factor) : 1;
    }
    if (size > 1 && size * graph.cells[cell].elementBits % 128 != 0)
      return false;
  }
  return true;
}

/// With the devices that the factor has now, or with as many as it may have.
int64_t GainBound::boundGain(const OpTime &time, uint8_t factor, const PaddingCandidate &candidate) const {
  int64_t devices = countDevices(time.op), ofFactor = getParts(time.op, factor);
  int64_t most = std::min(price.plan.getMesh().getNumDevices(), devices / ofFactor * candidate.pieces);
  double unaligned = double(price.getMachine().device.products.unalignedPpm.value) / double(wholePpm);
  double rate = isAligned(time.op, nullptr, 1) ? 1 : unaligned;
  auto computeTime = [&](int64_t pieces, double share) {
    double thenRate = isAligned(time.op, &candidate, pieces) ? 1 : unaligned;
    double longer = double(candidate.paddedSize) / double(candidate.size);
    return double(time.timePs) * share * longer * rate / thenRate;
  };
  double least = std::min(computeTime(ofFactor, 1), computeTime(candidate.pieces, double(devices) / double(most)));
  return int64_t(double(time.timePs) - least);
}

void GainBound::add(const OpTime &time) {
  std::map<size_t, int64_t> gains;
  llvm::ArrayRef<CellId> operands = graph.getOperands(time.op), results = graph.getResults(time.op);
  for (const DimFactor &entry : graph.getDimFactors(time.op)) {
    CellId cell = entry.value < operands.size() ? operands[entry.value] : results[entry.value - operands.size()];
    auto known = ofGroup.find(getGroup(cell, entry.dim));
    if (entry.position > 0 || known == ofGroup.end())
      continue;
    for (size_t number : known->second)
      if (has(candidates[number], cell, entry.dim)) {
        int64_t &gain = gains[number];
        gain = std::max(gain, boundGain(time, entry.factor, candidates[number]));
      }
  }
  for (auto [number, gain] : gains)
    candidates[number].gainPs += gain;
}

void GainBound::add(const ReshardLine &line) {
  std::set<size_t> touched;
  for (uint32_t dim = 0; dim < graph.cells[line.cell].rank; ++dim)
    if (auto known = ofGroup.find(getGroup(line.cell, dim)); known != ofGroup.end())
      for (size_t number : known->second)
        if (has(candidates[number], line.cell, dim))
          touched.insert(number);
  for (size_t number : touched)
    reshardPs[number] += line.timePs;
}

void GainBound::run() {
  for (const OpTime &time : price.times.ops)
    add(time);
  for (const ReshardLine &line : price.report.reshards)
    add(line);
  auto devices = double(price.plan.getMesh().getNumDevices());
  for (auto [candidate, timePs] : llvm::zip_equal(candidates, reshardPs)) {
    // Where fewer devices share the group, others still exchange what they do now.
    double share = (1 - 1 / double(candidate.pieces)) / (1 - 1 / devices);
    candidate.gainPs += int64_t(share * double(std::min(timePs, price.getCost().exposedPs)));
  }
}

void boundGains(const Price &price, const Analysis &analysis, llvm::MutableArrayRef<PaddingCandidate> candidates) {
  GainBound(price, analysis, candidates).run();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Whether another candidate for the same dims gains as much with less padding.
static bool isUseless(const PaddingCandidate &candidate, llvm::ArrayRef<PaddingCandidate> all) {
  return llvm::any_of(all, [&](const PaddingCandidate &other) {
    return other.group == candidate.group && other.size == candidate.size && other.paddedSize < candidate.paddedSize &&
           other.gainPs >= candidate.gainPs;
  });
}

std::vector<PaddingCandidate> choosePadding(llvm::ArrayRef<PaddingCandidate> all, int64_t timePs, bool fits) {
  constexpr int64_t mostOfGroup = 2;
  std::vector<PaddingCandidate> chosen;
  for (const PaddingCandidate &candidate : all) {
    bool isGain = candidate.gainPs > 0 && isFasterBy(timePs - candidate.gainPs, timePs, leastGain);
    if ((!fits || isGain) && !isUseless(candidate, all))
      chosen.push_back(candidate);
  }
  auto getKey = [&](const PaddingCandidate &each) {
    return std::tuple(fits ? -double(each.gainPs) : -each.bytes, each.group, each.size, each.paddedSize);
  };
  llvm::sort(chosen, [&](const PaddingCandidate &a, const PaddingCandidate &b) { return getKey(a) < getKey(b); });
  std::map<DimGroup, int64_t> numOfGroup;
  llvm::erase_if(chosen,
                 [&](const PaddingCandidate &candidate) { return ++numOfGroup[candidate.group] > mostOfGroup; });
  return chosen;
}

void namePadding(const Analysis &analysis, llvm::MutableArrayRef<PaddingCandidate> candidates) {
  const Colors &colors = analysis.getColors();
  std::set<std::string> names;
  for (PaddingCandidate &candidate : candidates) {
    ColorId color =
        colors.ofDim[analysis.getTopology().getDim(candidate.dims.front().cell, candidate.dims.front().dim)];
    std::string word = color.isValid() ? colors.list[color].word : "";
    // A dim that devices divide, but not the number of its windows, or what is cut out of it.
    bool isSame = candidate.paddedSize == candidate.size;
    std::string name = (word.empty() ? "dim" : word) + " " + std::to_string(candidate.size) +
                       (isSame ? " and its windows" : " -> " + std::to_string(candidate.paddedSize));
    candidate.name = name;
    for (int number = 2; !names.insert(candidate.name).second; ++number)
      candidate.name = name + " (" + std::to_string(number) + ")";
  }
}

} // namespace partita::variants
