//===- HtmlPage.h - report.html -------------------------------------------===//
//
// One file for a browser, which asks the network for nothing: the page that
// web/ is bundled into at build time, with the data of one plan, or of several
// beside each other.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_HTMLPAGE_H
#define PARTITA_REPORT_HTMLPAGE_H

#include "partita/Report/PlanDifference.h"
#include "partita/Report/PlanPicture.h"

namespace partita::report {

/// A page of one plan, or of several. `difference` is between the first two; null: not shown.
std::string printPage(llvm::ArrayRef<PlanPicture> plans, const PlanDifference *difference = nullptr);

/// JSON that can stand in a script element, whatever its strings contain.
std::string escapeForScript(llvm::StringRef json);

} // namespace partita::report

#endif
