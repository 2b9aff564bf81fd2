//===- Donation.cpp - arguments whose buffers results may take ------------===//

#include "partita/Lower/Donation.h"

#include <map>

using namespace mlir;

namespace partita {

namespace {

class Pairing {
public:
  Pairing(func::FuncOp main, const Assignment &assignment) : main(main), assignment(assignment) {
    donation.results.resize(main.getNumArguments());
    isTaken.resize(main.getNumResults(), false);
    isDonor.resize(main.getNumArguments(), false);
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (main.getArgAttr(i, "tf.aliasing_output") || main.getArgAttr(i, "jax.buffer_donor"))
        donors.push_back(i);
    for (unsigned argument : donors)
      isDonor[argument] = true;
  }

  Donation run() {
    pairTies();
    pairAsWritten();
    pairRest();
    return std::move(donation);
  }

private:
  const Graph &getGraph() const { return assignment.getGraph(); }

  bool fits(unsigned argument, unsigned result) {
    return main.getArgumentTypes()[argument] == main.getResultTypes()[result] &&
           assignment.getCellSharding(getGraph().arguments[argument]) ==
               assignment.getCellSharding(getGraph().results[result]);
  }
  void tryPair(unsigned argument, unsigned result) {
    if (result >= isTaken.size() || isTaken[result] || donation.results[argument] || !fits(argument, result))
      return;
    donation.results[argument] = result;
    isTaken[result] = true;
  }

  void pairTies() {
    for (const Tie &tie : getGraph().ties)
      if (unsigned argument = getGraph().cells[tie.argument].number; isDonor[argument])
        tryPair(argument, getGraph().cells[tie.result].number);
  }
  void pairAsWritten() {
    for (unsigned argument : donors)
      if (auto written = main.getArgAttrOfType<IntegerAttr>(argument, "tf.aliasing_output"))
        tryPair(argument, written.getInt());
  }
  void pairRest();

  func::FuncOp main;
  const Assignment &assignment;
  /// In ascending order.
  SmallVector<unsigned> donors;
  std::vector<bool> isDonor;
  std::vector<bool> isTaken;
  Donation donation;
};

} // namespace

/// Results that are left, by type and sharding, in order.
void Pairing::pairRest() {
  auto getKey = [&](Type type, CellId cell) {
    Sharding sharding = assignment.getCellSharding(cell);
    return std::make_pair(type.getAsOpaquePointer(), std::vector<DimAxes>(sharding.dims.begin(), sharding.dims.end()));
  };
  std::map<decltype(getKey(Type(), CellId())), SmallVector<unsigned>> left;
  for (unsigned result = main.getNumResults(); result-- > 0;)
    if (!isTaken[result])
      left[getKey(main.getResultTypes()[result], getGraph().results[result])].push_back(result);
  for (unsigned argument : donors) {
    if (donation.results[argument])
      continue;
    auto found = left.find(getKey(main.getArgumentTypes()[argument], getGraph().arguments[argument]));
    if (found != left.end() && !found->second.empty())
      donation.results[argument] = found->second.pop_back_val();
    else
      donation.dropped.push_back(argument);
  }
}

Donation pairDonors(func::FuncOp main, const Assignment &assignment) { return Pairing(main, assignment).run(); }

} // namespace partita
