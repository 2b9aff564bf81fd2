//===- NetworkRun.cpp - what the network does beside compute --------------===//

#include "partita/Simulate/NetworkRun.h"

#include <algorithm>

namespace partita::simulate {

int64_t NetworkRun::findNextPs() {
  while (!waiting.empty() && waiting.top().readyPs <= nowPs) {
    uint32_t task = waiting.top().task;
    ready.push({!tasks.isPrefetched(block.tasks[task]), task});
    waiting.pop();
  }
  int64_t arrivalPs = waiting.empty() ? INT64_MAX : waiting.top().readyPs;
  return ready.empty() ? arrivalPs : std::min(arrivalPs, nowPs + remainingPs[ready.top().second]);
}

void NetworkRun::serve(int64_t untilPs) {
  if (untilPs <= nowPs)
    return;
  if (!ready.empty()) {
    uint32_t index = ready.top().second;
    const Task &task = block.tasks[index];
    uint32_t stream = tasks.getStream(task);
    remainingPs[index] -= untilPs - nowPs;
    if (!pieces.empty() && pieces.back().reshard == task.reshard && pieces.back().endPs == nowPs)
      pieces.back().endPs = untilPs;
    else
      pieces.push_back({stream, nowPs, untilPs, OpId(), task.reshard, RegionId(), 0, tasks.getDuration(task)});
    result.busyPs[stream] += untilPs - nowPs;
    result.networkPs += untilPs - nowPs;
  }
  nowPs = untilPs;
}

std::optional<uint32_t> NetworkRun::advance(int64_t atPs) {
  serve(atPs);
  if (ready.empty() || remainingPs[ready.top().second] > 0)
    return std::nullopt;
  uint32_t task = ready.top().second;
  ready.pop();
  return task;
}

void NetworkRun::occupy(int64_t startPs, int64_t timePs) {
  serve(startPs);
  nowPs = std::max(nowPs, startPs) + timePs;
}

void NetworkRun::accountIdle(int64_t fromPs, int64_t untilPs) {
  for (size_t number = firstPiece; number < pieces.size(); ++number) {
    int64_t from = std::max(fromPs, pieces[number].startPs), to = std::min(untilPs, pieces[number].endPs);
    if (from < to)
      result.exposures.push_back({pieces[number].reshard, to - from});
  }
  // The last one may still grow.
  firstPiece = pieces.empty() ? 0 : pieces.size() - 1;
}

} // namespace partita::simulate
