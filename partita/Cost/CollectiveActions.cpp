//===- CollectiveActions.cpp - how the collectives of a plan run ----------===//

#include "partita/Cost/CollectiveActions.h"

#include "partita/Cost/PieceChoice.h"
#include "partita/Cost/PlacementChoice.h"
#include "partita/Cost/RotationChoice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

/// The machine has several levels, so a collective over them may run in steps.
static bool hasLevels(const Machine &machine) {
  return llvm::count_if(machine.levels, [](const Level &level) { return level.size > 1; }) > 1;
}

namespace {

/// The best plan so far.
class ActionChooser {
public:
  explicit ActionChooser(const Price &given) : given(given) {}

  const Price &get() const { return acted ? *acted->price : given; }
  void take(PlanPtr plan) {
    const PriceSetting &at = get().setting;
    PricePtr price = pricePlan(*plan, {at.machine, at.placement, at.options});
    take({std::move(plan), std::move(price)});
  }
  void take(ActedPlan better) { acted = std::move(better); }

  std::optional<ActedPlan> acted;

private:
  const Price &given;
};

} // namespace

std::optional<ActedPlan> chooseCollectiveActions(const Price &price, const CollectiveActions &allowed,
                                                 const ReductionSetting &setting) {
  ActionChooser best(price);
  if (allowed.reductions && hasLevels(price.getMachine())) {
    PricePtr moved = setting.mayTurn ? findBetterPlacement(price) : nullptr;
    std::optional<ReducedPlan> reduced =
        setting.clock.run("reductions", [&] { return chooseReductions(moved ? *moved : price, setting); });
    if (reduced)
      best.take({std::move(reduced->plan), std::move(reduced->price)});
  }
  if (allowed.pieces)
    if (PlanPtr plan = setting.clock.run("matmul", [&] { return choosePieces(best.get()); }))
      best.take(std::move(plan));
  if (allowed.rotation)
    if (PlanPtr plan = setting.clock.run("rotate", [&] { return chooseRotated(best.get()); }))
      best.take(std::move(plan));
  return std::move(best.acted);
}

} // namespace partita::cost
