//===- PageLimit.h - keeps a page small -----------------------------------===//
//
// A page holds the data of its plans, and a comparison may have many. Where a
// page would be too large, details are left out in this order, each of the last
// plan first and of the first plan last:
//
//   the timeline, evaluated strategies, memory over time, all but the most
//   expensive source lines, all but the largest arguments, all details of a plan
//
// and then whole plans, from the end. Remarks of the plans say what is missing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PAGELIMIT_H
#define PARTITA_REPORT_PAGELIMIT_H

#include "partita/Report/PlanPicture.h"

namespace partita::report {

inline constexpr size_t maxPageBytes = 1'500'000;

/// The pictures with so much detail that their data take at most `maxBytes`, or one plan is left.
std::vector<PlanPicture> limitPictures(std::vector<PlanPicture> plans, size_t maxBytes);

/// The data of a picture, as they stand in a page.
std::string printPicture(const PlanPicture &picture);

} // namespace partita::report

#endif
