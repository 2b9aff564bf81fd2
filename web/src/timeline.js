// One step of one device, a lane for compute and one for the communication over each set of axes. A loop is one bar until it
// is opened: then its first iteration fills the chart.

import { barX, plot, text } from "@observablehq/plot";
import { lineId } from "./collectives.js";
import { addRoles, make, place, section } from "./dom.js";
import { chooseUnit, printCount, printShare, printTime, roomFor, timeUnits } from "./units.js";

const fields = 6;
/** The width of a letter in a bar, in pixels, and the fewest letters that are worth to be shown. */
const letter = 6.8,
  fewestLetters = 7;

/** The events of a block, and the loops in it, by start. */
function readBlock(timeline, number) {
  const { strings, lanes } = timeline,
    { events } = timeline.blocks[number];
  const list = [];
  for (let i = 0; i < events.length; i += fields) {
    const [lane, start, duration, name, loc, count] = events.slice(i, i + fields);
    list.push({ lane: lanes[lane], start, end: start + duration, name: strings[name], loc: strings[loc], count });
  }
  timeline.blocks.forEach((block, index) => {
    if (block.parent !== number || index === 0) return;
    block.busy_ps.forEach((busy, lane) => {
      if (busy === 0) return;
      const name = `loop, ${printCount(block.iterations)} iteration${block.iterations === 1 ? "" : "s"}`;
      list.push({
        lane: lanes[lane],
        start: block.start_ps,
        end: block.loop_end_ps,
        name,
        loc: strings[block.loc],
        count: 1,
        block: index,
        busy,
      });
    });
  });
  return list.sort((a, b) => a.start - b.start || lanes.indexOf(a.lane) - lanes.indexOf(b.lane));
}

/** What a bar has room for: a collective, or the last parts of a name. */
const shorten = (name) => name.split(" of ")[0].split("/").slice(-2).join("/");

const nameIterations = ({ iterations, simulated }) =>
  `loop, iteration${simulated > 1 ? `s 1 to ${printCount(simulated)}` : " 1"} of ${printCount(iterations)}`;

const bounds = (timeline, number) =>
  number === 0 ? [0, timeline.total_ps] : [timeline.blocks[number].start_ps, timeline.blocks[number].end_ps];

class TimelineView {
  constructor(plan, number, width) {
    Object.assign(this, { plan, number, width, timeline: plan.timeline });
    this.chart = make("div", {
      class: "timeline-chart",
      tabindex: 0,
      role: "application",
      id: `timeline-${number}`,
      keydown: (event) => this.press(event),
      click: (event) => this.click(event),
      dblclick: () => this.enter(),
      "aria-label": "Timeline of one step. Arrow keys move, Enter opens a loop, Escape leaves it, plus and minus zoom.",
    });
    this.path = make("nav", { class: "path", "aria-label": `Where in the step of ${plan.name}` });
    this.details = make("p", { class: "details", "aria-live": "polite" });
    this.open(0);
  }

  get element() {
    const button = (label, title, act) =>
      make("button", { type: "button", title, "aria-label": title, click: act }, label);
    return make(
      "div",
      { class: "timeline" },
      make(
        "div",
        { class: "controls" },
        this.path,
        button("←", "Earlier", () => this.pan(-0.3)),
        button("→", "Later", () => this.pan(0.3)),
        button("+", "Zoom in", () => this.zoom(0.5)),
        button("−", "Zoom out", () => this.zoom(2)),
      ),
      this.chart,
      this.details,
    );
  }

  open(block) {
    this.block = block;
    this.events = readBlock(this.timeline, block);
    [this.from, this.to] = bounds(this.timeline, block);
    this.selected = -1;
    this.details.textContent = "Click a bar, or use the arrow keys, to see what it is.";
    this.showPath();
    this.draw();
  }

  showPath() {
    const steps = [];
    for (let block = this.block; ; block = this.timeline.blocks[block].parent) {
      const name = block === 0 ? "whole step" : nameIterations(this.timeline.blocks[block]);
      steps.unshift(
        block === this.block
          ? make("strong", {}, name)
          : make("button", { type: "button", click: () => this.open(block) }, name),
        " › ",
      );
      if (block === 0) break;
    }
    this.path.replaceChildren(...steps.slice(0, -1));
  }

  draw() {
    const { from, to, timeline } = this;
    const unit = chooseUnit(to, timeUnits);
    const shown = this.events.filter((event) => event.end > from && event.start < to);
    const x1 = (d) => Math.max(d.start, from) / unit.size,
      x2 = (d) => Math.min(d.end, to) / unit.size;
    const color = (d) =>
      d.block ? "var(--loop)" : d.lane === timeline.lanes[0] ? "var(--compute)" : "var(--communication)";
    const loops = shown.filter((d) => d.block),
      ops = shown.filter((d) => !d.block);
    const marginLeft = roomFor(timeline.lanes),
      marginRight = 20;
    const name = (d) => (d.block ? `${d.name}, ${this.shareOf(d)} busy` : shorten(d.name));
    /** How many letters a bar has room for. */
    const room = (d) =>
      ((Math.min(d.end, to) - Math.max(d.start, from)) / (to - from) / letter) *
      (this.width - marginLeft - marginRight);
    const fit = (d) => {
      const [whole, most] = [d.block && name(d).length > room(d) ? d.name : name(d), Math.floor(room(d))];
      return whole.length <= most ? whole : `${whole.slice(0, most - 1)}…`;
    };
    const bar = (list, className) =>
      barX(list, {
        x1,
        x2,
        y: "lane",
        fill: color,
        stroke: "var(--surface)",
        strokeWidth: list.length < 400 ? 0.5 : 0.1,
        className,
        title: (d) => this.describe(d),
        insetTop: 2,
        insetBottom: 2,
      });
    const svg = plot({
      width: this.width,
      height: 66 + 40 * timeline.lanes.length,
      marginBottom: 44,
      marginLeft,
      marginRight,
      x: { domain: [from / unit.size, to / unit.size], label: `time (${unit.name})`, labelOffset: 36 },
      y: { domain: timeline.lanes, label: null },
      color: { type: "identity" },
      marks: [
        bar(loops, "loops"),
        bar(ops, "events"),
        text(
          shown.filter((d) => room(d) > fewestLetters),
          {
          x: (d) => (x1(d) + x2(d)) / 2,
          y: "lane",
          text: fit,
          fill: (d) => (d.block ? "var(--ink)" : "var(--on-class)"),
          className: "bar-names",
          pointerEvents: "none",
          },
        ),
      ],
    });
    this.rects = new Map();
    for (const [name, list] of [
      ["loops", loops],
      ["events", ops],
    ])
      svg.querySelectorAll(`.${name} rect`).forEach((rect) => this.rects.set(rect, list[rect.__data__]));
    this.chart.replaceChildren(addRoles(svg));
    this.mark();
  }

  /** How much of an iteration of a loop its lane is busy. */
  shareOf(event) {
    const block = this.timeline.blocks[event.block];
    return printShare(event.busy, block.end_ps - block.start_ps);
  }

  describe(event) {
    if (event.block)
      return `${event.name}, ${printTime(event.end - event.start)}; ${event.lane} is busy ${this.shareOf(event)} of it`;
    return `${event.count > 1 ? `${printCount(event.count)} short ones, the longest ` : ""}${event.name}, ${printTime(event.end - event.start)} from ${printTime(event.start)}`;
  }

  select(index) {
    this.selected = index;
    const event = this.events[index];
    if (!event) return;
    if (event.end <= this.from || event.start >= this.to) this.move(event.start + (event.end - event.start) / 2);
    this.mark();
    const row = event.loc ? document.getElementById(lineId(this.number, event.loc)) : null;
    const jump = row
      ? make(
          "button",
          {
            type: "button",
            class: "to-line",
            click: () => {
              row.scrollIntoView({ block: "center" });
              row.focus();
            },
          },
          "what moves there",
        )
      : null;
    const open = event.block
      ? make("button", { type: "button", class: "open-loop", click: () => this.enter() }, "Open the loop")
      : null;
    this.details.replaceChildren(
      make("b", {}, event.lane),
      `: ${this.describe(event)} `,
      event.loc ? make("span", { class: "line" }, "at ", place(event.loc), " ") : "",
      ...[jump, open].filter(Boolean),
    );
  }

  mark() {
    for (const [rect, event] of this.rects) rect.classList.toggle("selected", event === this.events[this.selected]);
  }

  click(event) {
    const found = this.rects.get(event.target);
    if (found) this.select(this.events.indexOf(found));
  }

  enter() {
    const event = this.events[this.selected];
    if (event?.block) this.open(event.block);
  }

  leave() {
    if (this.block !== 0) this.open(this.timeline.blocks[this.block].parent);
    else {
      [this.from, this.to] = bounds(this.timeline, 0);
      this.draw();
    }
  }

  /** The next event of the same lane in that direction, or the nearest one of another lane. */
  step(direction) {
    const lane = this.events[this.selected]?.lane;
    for (let i = this.selected + direction; i >= 0 && i < this.events.length; i += direction)
      if (!lane || this.events[i].lane === lane) return this.select(i);
  }

  changeLane(direction) {
    const { lanes } = this.timeline,
      now = this.events[this.selected];
    if (!now) return this.select(0);
    for (let lane = lanes.indexOf(now.lane) + direction; lane >= 0 && lane < lanes.length; lane += direction) {
      const near = this.events
        .map((event, index) => ({ index, event }))
        .filter(({ event }) => event.lane === lanes[lane]);
      if (!near.length) continue;
      const distance = ({ event }) => Math.abs(event.start - now.start);
      return this.select(near.reduce((a, b) => (distance(b) < distance(a) ? b : a)).index);
    }
  }

  press(event) {
    const acts = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowDown: () => this.changeLane(1),
      ArrowUp: () => this.changeLane(-1),
      Enter: () => this.enter(),
      Escape: () => this.leave(),
      Backspace: () => this.leave(),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      Home: () => this.select(0),
      End: () => this.select(this.events.length - 1),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  zoom(factor) {
    const now = this.events[this.selected];
    const center = now ? (Math.max(now.start, this.from) + Math.min(now.end, this.to)) / 2 : (this.from + this.to) / 2;
    this.show(center, Math.max(10, (this.to - this.from) * factor));
  }

  pan(share) {
    this.show((this.from + this.to) / 2 + share * (this.to - this.from), this.to - this.from);
  }
  move(center) {
    this.show(center, this.to - this.from);
  }

  show(center, length) {
    const [first, last] = bounds(this.timeline, this.block);
    const whole = Math.min(length, last - first);
    this.from = Math.min(Math.max(first, center - whole / 2), last - whole);
    this.to = this.from + whole;
    this.draw();
  }
}

export function drawTimeline(plans, width) {
  const known = plans.map((plan, number) => ({ plan, number })).filter(({ plan }) => plan.timeline?.total_ps);
  if (!known.length) return null;
  const parts = known.map(({ plan, number }) => {
    const { timeline, figures } = plan;
    const note = `The step takes ${printTime(timeline.total_ps)} on the simulated timeline, in ${printTime(figures.simulated_exposed_ps)} of which nothing is computed.`;
    return make(
      "article",
      {},
      plans.length > 1 ? make("h3", {}, plan.name) : null,
      make("p", {}, note),
      new TimelineView(plan, number, width).element,
    );
  });
  return section("timeline", "One step of one device", ...parts);
}
