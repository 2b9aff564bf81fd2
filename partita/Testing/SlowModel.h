//===- SlowModel.h - a direct definition of propagation, for tests --------===//
//
// A second implementation of docs/design.md, "Propagation" and "Partial sums", as
// a reference for tests. It scans whole sets until nothing changes, has no
// indices, and keeps only the decisions between steps. It shares no code with
// what it tests.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_SLOWMODEL_H
#define PARTITA_TESTING_SLOWMODEL_H

#include "partita/Propagate/Axes.h"
#include "partita/Testing/Rooms.h"

#include <map>
#include <set>

namespace partita::fixtures::slow {

/// An op (its number), or a boundary value (-1 - the number of its cell).
using Node = int;
/// A node's factor.
using OpFactor = std::pair<Node, int>;
/// A cell's dim; a tied result has the dims of its argument.
using Dim = std::pair<int, int>;

constexpr int sum = -2;

struct SlowSide {
  std::set<OpFactor> opFactors;
  std::set<Dim> dims;
  auto operator<=>(const SlowSide &) const = default;
};
/// The sides of one conflict.
using Conflict = std::set<SlowSide>;

struct Decision {
  int factor;
  int step;
};
/// Split along `dim`, or whole if `dim` is negative.
struct SlowPin {
  int dim;
  int step;
};

class Model {
public:
  Model(const Graph &graph, const Axes &axes);

  bool mayTile(Dim dim, int axis) const;
  bool mayBeAtomic(int cell, int axis) const;
  std::set<Conflict> tile(const std::vector<Dim> &roots, int axis, int step);
  void makeAtomic(int cell, int axis, int step);
  void cut(int cell, int axis) { cuts.insert({cell, axis}); }
  void clearCuts() { cuts.clear(); }
  void close(Dim dim) { closed.insert(dim); }
  void choose(Dim dim, int axis) { choices.insert({dim, axis}); }

  /// The factor, `sum`, or -1.
  int getFactor(Node node, int axis) const;
  /// The axes of each dim of a cell.
  std::vector<std::vector<int>> getSharding(int cell) const;
  int getCell(int cell) const { return representatives.at(cell); }
  bool isPartial(int cell, int axis) const { return isPartial(cell, axis, {}); }
  /// Whether the operands of ops that carry the sum are all partial or zero.
  bool isSound() const;
  /// The number of conflicts that a tile or a choice has decided.
  int countDecided() const { return numDecided; }

private:
  bool isPlace(int cell) const;
  const std::set<Node> &getNodes() const { return nodes; }
  std::vector<int64_t> getFactorSizes(Node node) const;
  /// A dim of a value, its factors major to minor, and whether the node defines the value.
  struct Mapping {
    Dim dim;
    std::vector<int> factors;
    bool isDefined;
  };
  std::vector<Mapping> getMappings(Node node) const;
  Node getDefinition(int cell) const;
  int64_t countParts(Node node, int factor) const;
  bool isOpen(OpFactor opFactor, int axis) const;
  bool mayEnter(Dim dim, int axis) const;
  void computeReach(const std::vector<Dim> &roots, int axis, const std::set<OpFactor> &shut, std::set<Dim> &dims,
                    std::set<OpFactor> &opFactors) const;
  std::set<Conflict> findConflicts(const std::set<Dim> &dims, const std::set<OpFactor> &opFactors) const;
  const SlowSide *findChosen(const Conflict &conflict, int axis) const;

  bool isPinned(int cell, int axis) const { return pins.count({getCell(cell), axis}) != 0; }
  bool isPartial(int cell, int axis, const std::set<Node> &taking) const;
  bool isZero(int cell) const;
  std::vector<int> getLinearOperands(Node op) const;
  bool isTaken(int cell, bool inBodyOnly, int axis, const std::set<Node> &taking) const;
  bool isStack(int cell) const;
  bool agrees(Node node, int axis, const std::set<Node> &taking) const;
  bool mayTakeSum(Node node, int axis) const;
  void takeSums(int axis, int step);

  const Graph &graph;
  const Axes &axes;
  std::map<int, int> representatives;
  std::set<Node> nodes;
  std::map<std::pair<Node, int>, Decision> decisions;
  std::map<std::pair<int, int>, SlowPin> pins;
  std::set<std::pair<int, int>> cuts;
  std::set<Dim> closed;
  std::set<std::pair<Dim, int>> choices;
  int numDecided = 0;
};

} // namespace partita::fixtures::slow

#endif
