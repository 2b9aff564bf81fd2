//===- Validation.cpp - `partita validate-rules` --------------------------===//

#include "partita/Driver/Validation.h"

#include "partita/Evaluate/Validate/RuleValidator.h"

using namespace mlir;

namespace partita {

Status validateRules(ModuleOp module, const Options &options, std::string &text) {
  Result<UserRules> userRules = parseUserRules(options.flatten.rules);
  if (!userRules)
    return userRules.error();
  evaluate::ValidatorSetting setting{rules::getRuleTable(), *userRules, options.validator};
  int64_t wrong = 0;
  for (Operation *op : evaluate::collectOps(module)) {
    evaluate::InstanceReport report = evaluate::validateOp(op, setting);
    wrong += report.wrong.empty() ? 0 : 1;
    text += evaluate::printReport(report);
  }
  if (wrong == 0)
    return std::nullopt;
  Error error = Error::internal("the rules of " + std::to_string(wrong) + " op(s) are wrong");
  error.code = ExitCode::Difference;
  return error;
}

} // namespace partita
