//===- CellTransfers.h - the reshards of one value ------------------------===//
//
// What stands between one definition of a cell and its uses depends on that
// definition, the cell's pins and the ops that use it, and on nothing else. So
// the transfers of a program are those of its cells, one after the other
// (Transfers.h), and a change of an op is a change of the values it touches.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_CELLTRANSFERS_H
#define PARTITA_COST_CELLTRANSFERS_H

#include "partita/Cost/Transfers.h"
#include "partita/Propagate/PassingNodes.h"

namespace partita {

/// Transfers of one value, numbered from 0.
struct CellTransfers {
  llvm::SmallVector<Transfer, 4> list;
  /// For each transfer the first op that wants its result.
  llvm::SmallVector<OpId, 4> firstUsers;
  /// Uses of a place or an op's result, each with the transfer whose result it takes; if there is none, it takes what
  /// the definition gives.
  llvm::SmallVector<std::pair<UseId, TransferId>, 8> uses;
  /// The transfer that brings what an op gives to the form of its cell.
  TransferId definition;

  void clear();
};

class CellTransferBuilder {
public:
  CellTransferBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        numAxes(static_cast<uint32_t>(assignment.getAxes().size())), planner(planner) {}

  /// Between an argument, carried value or branch result and its uses.
  const CellTransfers &buildOfPlace(CellId place);
  /// Between a result of an op and its uses; of what is brought to a place or is a result of the program, to the form
  /// of its cell.
  const CellTransfers &buildOfDefinition(OpId op, uint32_t result);

  /// What the op itself gives.
  Form getDefinitionForm(OpId op, uint32_t result) const;
  Form getPlaceForm(CellId cell) const;

private:
  using Uses = llvm::SmallVector<UseId, 8>;

  /// A value in some form, from which uses are served.
  struct Stock {
    CellId cell;
    Form form;
    /// The transfer that made it, or none.
    TransferId source;
    /// Behind which op it comes into being; none for places.
    OpId op;
    /// A carried value inside its loop has no place behind its definition.
    bool hasPosition = true;
  };

  /// A use and what it needs.
  struct Need {
    UseId use;
    OpId op;
    Form form;
  };
  using Needs = llvm::SmallVector<Need, 4>;

  // Forms.
  Form getCellForm(CellId cell, const Form &definition) const;
  bool takesSum(OpId op, uint32_t operand, AxisId axis) const {
    return assignment.getFactor(topology.getNode(op), axis) == sumFactor && isLinearIn(graph.ops[op], operand);
  }
  Form getNeed(UseId use, const Form &stock) const;
  Form getBoundForm(CellId cell, const Form &given, llvm::ArrayRef<UseId> uses) const;

  // Uses.
  bool isInLoop(RegionId region, RegionId body) const;
  void serveUses(const Stock &stock, llvm::ArrayRef<UseId> uses);
  void note(UseId use, TransferId transfer) { made.uses.push_back({use, transfer}); }
  bool grows(const ReshardPlan &plan) const;
  /// The group of a use that the plan states for what it needs; 0 if there is none.
  uint32_t getGroup(const Stock &stock, const Need &need) const;
  void serve(const Stock &stock, llvm::ArrayRef<Need> needs);
  void serveReduced(const Stock &stock, llvm::ArrayRef<Need> needs);
  Form chooseForm(const Stock &stock, llvm::ArrayRef<Need> needs);

  // Transfers.
  ReshardPlanId findPlan(CellId cell, const Form &from, const Form &to) {
    return planner.find(graph.getShape(cell), graph.cells[cell].elementBits, from, to);
  }
  RegionId getRegion(const Stock &stock) const;
  TransferId add(const Transfer &transfer, OpId firstUser);
  TransferId addAfter(const Stock &stock, const Form &to, OpId firstUser);
  TransferId addBefore(const Stock &stock, ReshardPlanId plan, OpId user);

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  uint32_t numAxes;
  ReshardPlanner &planner;
  CellTransfers made;
};

} // namespace partita

#endif
