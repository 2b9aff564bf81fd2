//===- FormCodes.h - forms as a word or two -------------------------------===//
//
// To price is mostly to find that nothing new has to be priced. So the forms
// that a price depends on are written as words that are quick to make and to
// compare: 16 bits for each axis, 0 if it does not split the value, otherwise the
// dim and position where it stands, or that the value is partial over it, and how
// it is combined. Equal words are equal forms.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_FORMCODES_H
#define PARTITA_COST_FORMCODES_H

#include "partita/Cost/CostUnits.h"
#include "partita/Cost/DonorPairs.h"
#include "partita/Propagate/Assignment.h"

namespace partita {

/// What a unit's price depends on, in words.
using UnitKey = llvm::SmallVector<uint64_t, 24>;

class FormCodes {
public:
  FormCodes(const Topology &topology, const Axes &axes, const FusionPlan &fusion);

  /// Everything that the price of the unit depends on.
  void build(const Assignment &assignment, const DonorPairs &pairs, const Unit &unit, UnitKey &key) const;

  /// Whether what an identity gives to a place or returns is brought to another form first.
  bool isBroughtChanged(const Assignment &assignment, OpId op) const;
  /// Likewise, of the op that uses; false if it is no such identity.
  bool isBroughtChanged(const Assignment &assignment, UseId use) const {
    return isBrought[use] && isBroughtChanged(assignment, topology.getUser(use));
  }

private:
  static constexpr unsigned axesPerWord = 4;
  /// Where a factor stands in a value.
  struct FactorDim {
    /// noDim: nowhere.
    uint16_t dim = noDim;
    uint8_t position = 0;
  };
  static constexpr uint16_t noDim = 0xFFFF;

  void addTables();
  void set(UnitKey &key, size_t first, AxisId axis, uint64_t code) const {
    key[first + axis.get() / axesPerWord] |= code << (16 * (axis.get() % axesPerWord));
  }
  size_t begin(UnitKey &key) const {
    key.resize(key.size() + numWords);
    return key.size() - numWords;
  }
  void addOperand(const Assignment &assignment, UseId use, UnitKey &key) const;
  void addResult(const Assignment &assignment, OpId op, uint32_t result, UnitKey &key) const;
  void addPlace(const Assignment &assignment, CellId cell, UnitKey &key) const;
  void addSharding(const Sharding &sharding, UnitKey &key, size_t first) const;
  void addUse(const Assignment &assignment, const DonorPairs &pairs, UseId use, UnitKey &key) const;
  void addPair(const DonorPairs &pairs, OpId op, UnitKey &key) const;
  void addBroughtForm(const Assignment &assignment, OpId op, UnitKey &key) const;
  void placeAxes(const Assignment &assignment, NodeId node, const FactorDim *dims, UnitKey &key, size_t first) const;
  bool isPinned(const Assignment &assignment, CellId cell) const;

  const Topology &topology;
  const Graph &graph;
  const FusionPlan &fusion;
  uint32_t numAxes, numWords;
  /// For each use, then each definition: where its factors begin in `factorDims`.
  std::vector<uint32_t> firstFactors;
  std::vector<FactorDim> factorDims;
  /// Uses by identities that bring the value to a place or return it.
  IdVector<UseId, uint8_t> isBrought;
  /// Uses of what is sliced: as much is read as the result has.
  IdVector<UseId, uint8_t> isSliced;
};

} // namespace partita

#endif
