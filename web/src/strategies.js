// Time against memory of all strategies that were evaluated.

import { axisX, axisY, dot, gridX, gridY, plot, pointer, ruleY, text, tip } from "@observablehq/plot";
import { figure, make, section, table } from "./dom.js";
import { byteUnits, chooseUnit, nameLimit, printBytes, printCount, printTime, timeUnits } from "./units.js";

const kinds = {
  evaluated: { title: "evaluated by the search", symbol: "circle", color: "var(--muted-dot)", size: 2 },
  start: { title: "nothing split", symbol: "times", color: "var(--muted)", size: 5 },
  other: { title: "runners-up", symbol: "circle", color: "var(--plan-4)", size: 3.5 },
  expert: { title: "what experts would write", symbol: "diamond", color: "var(--expert)", size: 5 },
  baseline: { title: "your own (baseline)", symbol: "triangle", color: "var(--baseline)", size: 6 },
  plan: { title: "this plan", symbol: "star", color: "var(--plan-1)", size: 7 },
};

function listStrategies(plans) {
  const isCompared = plans.length > 1;
  const list = plans.map((plan, number) => ({
    kind: "plan",
    name: plan.name,
    label: isCompared ? plan.name : "this plan",
    color: `var(--plan-${(number % 4) + 1})`,
    time: plan.figures.time_ps,
    bytes: plan.figures.peak_bytes,
  }));
  const add = (kind, entry, more = {}) =>
    list.push({ kind, name: entry.name, time: entry.time_ps, bytes: entry.peak_bytes, ...more });
  for (const { name, baseline, strategies } of plans) {
    if (baseline) add("baseline", baseline, { label: "yours", color: kinds.baseline.color });
    for (const entry of strategies?.experts ?? [])
      add("expert", entry, isCompared ? { name: `${name}: ${entry.name}` } : {});
    for (const entry of strategies?.others ?? []) add("other", entry);
    if (strategies?.start) add("start", strategies.start);
    for (const [time, bytes] of strategies?.evaluated ?? []) list.push({ kind: "evaluated", name: "", time, bytes });
  }
  return list.filter((each) => each.time > 0).reverse();
}

/** Ticks of a logarithmic axis: Plot would name thousandths `m`. */
const printTick = (value) => String(Number(value.toPrecision(3)));

/** A logarithmic axis where values differ by much. */
function scale(values, label) {
  const least = Math.min(...values),
    most = Math.max(...values),
    room = (most - least) * 0.06 || most * 0.1;
  if (least > 0 && most / least > 12)
    return { type: "log", label, domain: [least / 1.15, most * 1.15], ticks: 6, tickFormat: printTick, labelOffset: 36 };
  return { label, domain: [Math.max(0, least - room), most + room], labelOffset: 36 };
}

/** Strategies that a reader may choose from: at most half as slow again as the plan, with twice the limit at most. */
function keepNear(list, limits) {
  const time = 1.5 * Math.max(...list.filter((d) => d.kind === "plan").map((d) => d.time)),
    bytes = 2 * Math.max(...limits);
  return list.filter((d) => d.kind === "plan" || (d.time <= time && d.bytes <= bytes));
}

const describe = (d) =>
  `${kinds[d.kind].title}${d.name ? `: ${d.name}` : ""}\n${printTime(d.time)}, ${printBytes(d.bytes)}`;

function drawDots(list, kind, x, y) {
  const { symbol, color, size } = kinds[kind],
    isMuted = kind === "evaluated";
  const look =
    kind === "start"
      ? { stroke: color, strokeWidth: 2 }
      : { fill: (d) => d.color ?? color, fillOpacity: isMuted ? 0.5 : 1, stroke: isMuted ? null : "var(--surface)" };
  return dot(
    list.filter((d) => d.kind === kind),
    {
      x,
      y,
      r: size,
      symbol,
      ...look,
      className: `strategy-${kind}`,
      ariaLabel: isMuted ? undefined : (d) => describe(d).replace("\n", ", "),
    },
  );
}

function draw(list, limits, width) {
  const time = chooseUnit(Math.max(...list.map((d) => d.time)), timeUnits);
  const most = Math.max(...list.map((d) => d.bytes)),
    isCut = Math.min(...limits) > 4 * most;
  const reached = isCut ? [] : limits;
  const unit = chooseUnit(Math.max(most, ...reached), byteUnits);
  const x = (d) => d.time / time.size,
    y = (d) => d.bytes / unit.size;
  const named = list.filter((d) => d.label);
  const [first, last] = [Math.min(...list.map(x)), Math.max(...list.map(x))];
  const isRight = (d) => x(d) - first > 0.7 * (last - first);
  const xScale = scale(list.map(x), `time of a step (${time.name})`),
    yScale = scale([...list.map(y), ...reached.map((limit) => limit / unit.size)], `peak memory (${unit.name})`);
  const pickFormat = ({ ticks, tickFormat }) => (tickFormat ? { ticks, tickFormat } : {});
  return plot({
    width,
    height: 400,
    marginLeft: 60,
    marginTop: 28,
    marginRight: 40,
    marginBottom: 44,
    x: xScale,
    y: yScale,
    symbol: { type: "identity" },
    color: { type: "identity" },
    r: { type: "identity" },
    marks: [
      gridX(),
      gridY(),
      axisX(pickFormat(xScale)),
      axisY(pickFormat(yScale)),
      ruleY(new Set(reached.map((limit) => limit / unit.size)), {
        stroke: "var(--limit)",
        strokeWidth: 2,
        strokeDasharray: "5 3",
        className: "limit",
      }),
      text(limits.slice(0, 1), {
        ...(isCut ? { frameAnchor: "top-right" } : { y: (limit) => limit / unit.size, frameAnchor: "right" }),
        dy: isCut ? -16 : -8,
        text: (limit) => nameLimit(limit, isCut, width),
        fill: "var(--limit)",
      }),
      ...Object.keys(kinds).map((kind) => drawDots(list, kind, x, y)),
      ...["start", "end"].map((textAnchor) =>
        text(
          named.filter((d) => textAnchor === (isRight(d) ? "end" : "start")),
          {
            x,
            y,
            text: "label",
            dx: textAnchor === "end" ? -12 : 12,
            textAnchor,
            fill: "color",
            fontWeight: 600,
            stroke: "var(--surface)",
            strokeWidth: 4,
            paintOrder: "stroke",
            lineWidth: 24,
            textOverflow: "ellipsis",
          },
        ),
      ),
      tip(list, pointer({ x, y, title: describe, fill: "var(--surface)", stroke: "var(--line)", lineWidth: 50 })),
    ],
  });
}

const legend = (used) =>
  make(
    "ul",
    { class: "legend" },
    Object.entries(kinds)
      .filter(([kind]) => used.has(kind))
      .reverse()
      .map(([, look]) =>
        make("li", {}, make("span", { class: "swatch", style: `background:${look.color}` }), look.title),
      ),
  );

/** What the short words in the names of experts' strategies mean: `BP: batch; Z3: ZeRO-3`. */
function describeWords(plans) {
  const meanings = Object.assign({}, ...plans.map((plan) => plan.strategies?.legend ?? {}));
  const words = Object.entries(meanings).map(([word, meaning]) => `${word}: ${meaning}`);
  return words.length ? make("p", { class: "where", id: "expert-words" }, words.join("; ")) : null;
}

export function drawStrategies(plans, width) {
  const known = plans.filter((plan) => plan.figures.time_ps !== null);
  const list = known.length ? listStrategies(known) : [];
  if (list.length < 2) return null;
  const limits = known.map((plan) => plan.figures.limit_bytes);
  const near = keepNear(list, limits);
  const rows = list.filter((d) => d.kind !== "evaluated").reverse();
  const label = "Time against memory of the strategies that were evaluated";
  const holder = make("div");
  // Plans that are compared are named in the chart, each in its own color.
  const listKinds = (shown) => new Set(shown.map((d) => d.kind).filter((kind) => kind !== "plan" || known.length < 2));
  const show = (shown) =>
    holder.replaceChildren(
      figure(label, draw(shown, limits, width), describeCount(list, shown, known)),
      legend(listKinds(shown)),
    );
  const toggle = make(
    "label",
    { class: "toggle" },
    make("input", {
      type: "checkbox",
      id: "strategies-all",
      change: (event) => show(event.target.checked ? list : near),
    }),
    " also those that are far slower or far larger",
  );
  show(near.length > 1 ? near : list);
  return section(
    "strategies",
    "Time against memory",
    near.length > 1 && near.length < list.length ? toggle : null,
    holder,
    describeWords(known),
    make(
      "details",
      { class: "as-table" },
      make("summary", {}, "These figures as a table"),
      table({
        id: "rivals",
        caption: "Strategies",
        rows,
        sortBy: 2,
        columns: [
          { title: "strategy", get: (row) => row.name },
          { title: "kind", get: (row) => kinds[row.kind].title },
          { title: "time", get: (row) => row.time, print: printTime, number: true, ascending: true },
          { title: "peak memory", get: (row) => row.bytes, print: printBytes, number: true },
          { title: "fits", get: (row) => (row.bytes <= limits[0] ? "yes" : "no") },
        ],
        filter: (row) => `${row.name} ${kinds[row.kind].title}`.toLowerCase(),
      }),
    ),
  );
}

function describeCount(list, shown, plans) {
  const evaluated = plans.reduce((sum, plan) => sum + (plan.strategies?.num_evaluated ?? 0), 0);
  const count = (each) => each.filter((d) => d.kind === "evaluated").length;
  return evaluated
    ? `The search evaluated ${printCount(evaluated)} states. ${printCount(count(shown))} of ${printCount(count(list))} that differ in time or memory are drawn.`
    : null;
}
