//===- ShardingTable.h - least times between a tensor's shardings ---------===//
//
// A sharding code says for each axis whether it splits a dim, is free, or is
// one over which the pieces are partial. It leaves out the order of axes on a
// dim: shardings that differ only in that have one code.
//
//   T(f, g)   the least time of any steps from f to g on the machine, each step at
//             the price of its collective; slices, and changes of order alone, cost
//             nothing
//
// T is a shortest path over single steps. So it is no more than the cost of any
// plan from f to g, through whatever shardings it goes and whatever it was
// chosen for; and T(f, h) <= T(f, g) + T(g, h). No step makes a value partial.
//
//   R(f, g)   the same for one plan of the planner: no two consecutive reductions are
//             onto the same dim (or both onto none)
//
// because one reduction over the axes of both sends no more, has no temporary
// in between and is one step less, so the planner takes it (ReshardSearch.cpp).
// On many machines the two are faster.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_SHARDINGTABLE_H
#define PARTITA_SEARCH_BOUND_SHARDINGTABLE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Search/Bound/PairwiseBound.h"
#include "partita/Search/Bound/PermutePrices.h"
#include "partita/Search/Rooms.h"

#include <map>
#include <memory>
#include <optional>

namespace partita::search {

/// A sharding of some shape, as a number: one digit for each axis (0 free, 1 + d on dim d, 1 + rank partial).
using ShardingCode = uint32_t;

class ShardingTable : public ReshardTimes {
public:
  /// Gives R in place of T.
  class OnePlan : public ReshardTimes {
  public:
    explicit OnePlan(ShardingTable &table) : table(table), times(table.size()) {}
    const int64_t *getTimes(uint32_t from) override;
    int64_t getBytes(uint32_t sharding) const override { return table.getBytes(sharding); }
    bool isPartial(uint32_t sharding) const override { return table.isPartial(sharding); }

  private:
    ShardingTable &table;
    std::vector<std::vector<int64_t>> times;
  };

  /// Of all tensors of that rank whose pieces have these bytes.
  ShardingTable(const CostModel &model, PermutePrices &permutes, size_t rank, std::vector<int64_t> bytes);
  /// The bytes of a device's piece under each code; negative if the code does not divide the shape.
  static std::vector<int64_t> listBytes(const CostModel &model, llvm::ArrayRef<int64_t> shape, uint32_t elementBits);

  /// The number of codes; not all of them divide the shape.
  uint32_t size() const { return numCodes; }
  bool divides(ShardingCode code) const { return bytes[code] >= 0; }
  bool isPartial(ShardingCode code) const override { return partials[code] != 0; }
  /// The bytes of a device's piece.
  int64_t getBytes(ShardingCode code) const override { return bytes[code]; }
  uint32_t getDigit(ShardingCode code, AxisId axis) const { return code / powers[axis.get()] % base; }
  ShardingCode getCode(uint32_t digit, AxisId axis) const { return digit * powers[axis.get()]; }
  uint32_t getPartialDigit() const { return base - 1; }

  /// T(from, to) for all `to`; noWay where there is no path. Computed once.
  const int64_t *getTimes(ShardingCode from) override;
  ReshardTimes &getOnePlan() { return onePlan; }
  static constexpr int64_t maxTime = int64_t(1) << 42;

  /// Shapes with more codes have no table.
  static constexpr uint64_t maxCodes = 1024;
  static uint64_t countCodes(size_t rank, size_t numAxes);

private:
  struct Step {
    ShardingCode to;
    int64_t timePs;
    /// For a reduction, the digit that its axes get; otherwise noReduction.
    uint32_t reduction;
  };
  static constexpr uint32_t noReduction = UINT32_MAX;

  void findPermuted();
  std::vector<int64_t> computeTimes(ShardingCode from, bool isOnePlan);
  /// Extends the times from the shardings that are not partial to all others.
  void addWholeTimes(std::vector<int64_t> &row);
  const std::vector<Step> &getSteps(ShardingCode from);
  void addSteps(ShardingCode from);
  void addGathers(ShardingCode from, uint32_t digit);
  void addReductions(ShardingCode from);
  void addPermutes(ShardingCode from);
  /// The axes of a code with that digit, as bits.
  uint32_t findAxes(ShardingCode code, uint32_t digit) const;
  ShardingCode setDigits(ShardingCode code, uint32_t axes, uint32_t digit) const;
  int64_t price(CollectiveKind kind, uint32_t axes, int64_t payloadBytes);
  Sharding getSharding(ShardingCode code) const;
  int64_t countParts(ShardingCode code, uint32_t digit) const;

  const CostModel &model;
  PermutePrices &permutes;
  uint32_t numAxes, base, numCodes;
  std::vector<uint32_t> powers;
  std::vector<int64_t> bytes;
  std::vector<uint8_t> partials;
  /// The codes that divide, grouped by their partial axes and by the number of parts of each dim.
  std::vector<std::vector<ShardingCode>> permuted;
  std::vector<uint32_t> divisions;
  std::vector<std::vector<Step>> steps;
  std::vector<std::vector<int64_t>> times;
  OnePlan onePlan;
  std::map<std::tuple<CollectiveKind, uint32_t, int64_t>, int64_t> prices;
};

/// Tensors whose pieces have the same bytes under every code share a table: [4096, 1024] and [1024, 4096], or f32 and
/// twice as many bf16, as long as the same codes divide them.
class ShardingTables {
public:
  explicit ShardingTables(const CostModel &model)
      : model(model), permutes(model), ofCells(model.getGraph().cells.size()) {}
  /// Null if there are too many codes.
  ShardingTable *find(CellId cell);

private:
  const CostModel &model;
  PermutePrices permutes;
  /// By the bytes of all codes, whose number tells the rank.
  std::map<std::vector<int64_t>, std::unique_ptr<ShardingTable>> tables;
  /// What was found before for a shape and width, and for a cell.
  std::map<std::pair<std::vector<int64_t>, uint32_t>, ShardingTable *> ofShapes;
  IdVector<CellId, std::optional<ShardingTable *>> ofCells;
};

} // namespace partita::search

#endif
