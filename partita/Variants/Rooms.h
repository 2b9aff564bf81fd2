//===- Rooms.h - names of other rooms that Variants uses unqualified ------===//

#ifndef PARTITA_VARIANTS_ROOMS_H
#define PARTITA_VARIANTS_ROOMS_H

namespace partita {
namespace pipeline {}
namespace temporal {}
namespace padding {}
namespace reorder {}
namespace remat {}
namespace lower {}
namespace program {}
namespace search {}
namespace simulate {}
namespace cost {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::variants {
using namespace pipeline;
using namespace temporal;
using namespace padding;
using namespace reorder;
using namespace remat;
using namespace lower;
using namespace program;
using namespace search;
using namespace simulate;
using namespace cost;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::variants

#endif
