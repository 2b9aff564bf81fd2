//===- ReducedForm.cpp - where partial sums are reduced to ----------------===//

#include "partita/Cost/ReducedForm.h"

#include <tuple>

namespace partita {

namespace {

class Choice {
public:
  Choice(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const Form &base, llvm::ArrayRef<FormNeed> needs,
         ReshardPlanner &planner)
      : shape(shape), elementBits(elementBits), base(base), needs(needs), planner(planner), baseBits(getBits(base)) {}

  Form run() {
    Form whole = needs.front().form;
    whole.sharding = base.sharding;
    offer(whole);
    for (const FormNeed &need : needs)
      offer(need.form);
    for (const FormNeed &need : needs)
      offer(getFormBehindReduction(need.form));
    if (needs.size() > 1)
      offer(getCommonForm());
    return best;
  }

private:
  /// Sent bits, bits of the form, steps.
  using Cost = std::tuple<int64_t, int64_t, size_t>;

  const ReshardPlan &plan(const Form &from, const Form &to) { return planner.plan(shape, elementBits, from, to); }
  int64_t getBits(const Form &form) const {
    return computeLocalBits(planner.getAxes(), shape, elementBits, form.sharding);
  }

  Form getFormBehindReduction(const Form &need) {
    Form form = base;
    for (const ReshardStep &step : plan(base, need).steps)
      if (step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter)
        form = step.after;
    return form;
  }

  Form getCommonForm() const {
    Form common = needs.front().form;
    for (const FormNeed &need : needs.drop_front())
      for (auto [axes, others] : llvm::zip_equal(common.sharding.dims, need.form.sharding.dims)) {
        size_t count = 0;
        while (count < std::min(axes.size(), others.size()) && axes[count] == others[count])
          ++count;
        axes.truncate(count);
      }
    return common;
  }

  Cost computeCost(const Form &form) {
    const ReshardPlan &reduction = plan(base, form);
    int64_t sentBits = reduction.sentBits;
    size_t numSteps = reduction.steps.size();
    for (const FormNeed &need : needs) {
      const ReshardPlan &rest = plan(form, need.form);
      sentBits += rest.sentBits * (rest.isLocal() ? 1 : need.numGroups);
      numSteps += rest.steps.size();
    }
    return {sentBits, getBits(form), numSteps};
  }

  void offer(const Form &form) {
    if (getBits(form) > baseBits || form.partial != needs.front().form.partial)
      return;
    Cost cost = computeCost(form);
    if (isEmpty || cost < bestCost) {
      best = form;
      bestCost = cost;
      isEmpty = false;
    }
  }

  llvm::ArrayRef<int64_t> shape;
  uint32_t elementBits;
  const Form &base;
  llvm::ArrayRef<FormNeed> needs;
  ReshardPlanner &planner;
  int64_t baseBits;
  bool isEmpty = true;
  Form best;
  Cost bestCost;
};

} // namespace

Form chooseReducedForm(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const Form &base,
                       llvm::ArrayRef<FormNeed> needs, ReshardPlanner &planner) {
  // The way to one need is the shortest already.
  if (needs.size() == 1 && needs.front().form.sharding == base.sharding)
    return needs.front().form;
  return Choice(shape, elementBits, base, needs, planner).run();
}

} // namespace partita
