//===- CellReshards.h - the reshards of one value ------------------------===//
//
// What stands between one definition of a cell and its uses depends on that
// definition, the cell's pins and the ops that use it, and on nothing else. So
// the reshards of a program are those of its cells, one after the other
// (Reshards.h), and a change of an op is a change of the values it touches.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_CELLRESHARDS_H
#define PARTITA_COST_CELLRESHARDS_H

#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/PartialSumCarriers.h"

namespace partita::cost {

/// Reshards of one value, numbered from 0.
struct CellReshards {
  llvm::SmallVector<Reshard, 4> list;
  /// For each reshard the first op that wants its result.
  llvm::SmallVector<OpId, 4> firstUsers;
  /// Uses of a place or an op's result, each with the reshard whose result it takes; if there is none, it takes what
  /// the definition gives.
  llvm::SmallVector<std::pair<UseId, ReshardId>, 8> uses;
  /// The reshard that brings what an op gives to the form of its cell.
  ReshardId definition;

  void clear();
};

class CellReshardBuilder {
public:
  CellReshardBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        numAxes(static_cast<uint32_t>(assignment.getAxes().size())), planner(planner) {}

  /// Between an argument, carried value or branch result and its uses.
  const CellReshards &buildOfBoundary(CellId place);
  /// Between a result of an op and its uses; of what is brought to a place or is a result of the program, to the form
  /// of its cell.
  const CellReshards &buildOfDefinition(OpId op, uint32_t result);

  /// What the op itself gives.
  PartialSharding getDefinitionSharding(OpId op, uint32_t result) const;
  PartialSharding getBoundarySharding(CellId cell) const;

private:
  using Uses = llvm::SmallVector<UseId, 8>;

  /// A value in some form, from which uses are served.
  struct AvailableSharding {
    CellId cell;
    PartialSharding form;
    /// The reshard that made it, or none.
    ReshardId source;
    /// Behind which op it comes into being; none for places.
    OpId op;
    /// A carried value inside its loop has no place behind its definition.
    bool hasPosition = true;
  };

  /// A use and what it needs.
  struct RequiredSharding {
    UseId use;
    OpId op;
    PartialSharding form;
  };
  using RequiredShardings = llvm::SmallVector<RequiredSharding, 4>;

  // Forms.
  PartialSharding getCellSharding(CellId cell, const PartialSharding &definition) const;
  bool takesSum(OpId op, uint32_t operand, AxisId axis) const {
    return assignment.getFactor(topology.getNode(op), axis) == sumFactor && isLinearIn(graph.ops[op], operand);
  }
  PartialSharding getRequired(UseId use, const PartialSharding &available) const;
  PartialSharding getBoundSharding(CellId cell, const PartialSharding &given, llvm::ArrayRef<UseId> uses) const;

  // Uses.
  bool isInLoop(RegionId region, RegionId body) const;
  void serveUses(const AvailableSharding &available, llvm::ArrayRef<UseId> uses);
  void note(UseId use, ReshardId reshard) { made.uses.push_back({use, reshard}); }
  bool grows(const ReshardPlan &plan) const;
  /// The group of a use that the plan states for what it needs; 0 if there is none.
  uint32_t getGroup(const AvailableSharding &available, const RequiredSharding &need) const;
  void serve(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);
  void serveReduced(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);
  PartialSharding chooseSharding(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);

  // Reshards.
  ReshardPlanId findPlan(CellId cell, const PartialSharding &from, const PartialSharding &to) {
    return planner.find(graph.getShape(cell), graph.cells[cell].elementBits, from, to);
  }
  RegionId getRegion(const AvailableSharding &available) const;
  ReshardId add(const Reshard &reshard, OpId firstUser);
  ReshardId addAfter(const AvailableSharding &available, const PartialSharding &to, OpId firstUser);
  ReshardId addBefore(const AvailableSharding &available, ReshardPlanId plan, OpId user);

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  uint32_t numAxes;
  ReshardPlanner &planner;
  CellReshards made;
};

} // namespace partita::cost

#endif
