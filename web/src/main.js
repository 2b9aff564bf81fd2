// The page: reads the data that stand in it and draws each part.

import { drawCollectives } from "./collectives.js";
import { drawDifferences } from "./differences.js";
import { make } from "./dom.js";
import { drawHeadline } from "./headline.js";
import { drawMachine } from "./machine.js";
import { drawMemory } from "./memory.js";
import { drawSpecs } from "./specs.js";
import { drawStrategies } from "./strategies.js";
import { drawTimeline } from "./timeline.js";

const mostWide = 1160,
  leastWide = 340;

function chooseWidth() {
  return Math.max(leastWide, Math.min(mostWide, document.documentElement.clientWidth - 48));
}

/** Cycles through what the system says, light and dark. */
function themeButton() {
  const themes = ["auto", "light", "dark"];
  const button = make("button", {
    type: "button",
    id: "theme",
    click: () => set(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3]),
  });
  function set(theme) {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Colors: ${theme}`;
  }
  set("auto");
  return button;
}

/** Plans are called by their files: by as much of the end of each path as tells them apart. */
function shortenNames(plans) {
  for (const plan of plans) plan.path = plan.name;
  for (let parts = 1; parts < 8; ++parts) {
    for (const plan of plans) plan.name = plan.path.split("/").slice(-parts).join("/");
    if (new Set(plans.map((plan) => plan.name)).size === plans.length) return;
  }
}

/** In the frame of a notebook a link alone would leave the page. */
function linkTo(part) {
  const go = (event) => {
    event.preventDefault();
    part.scrollIntoView();
  };
  return make("a", { href: `#${part.id}`, click: go }, part.querySelector("h2").textContent);
}

function drawPage(data) {
  const { plans } = data,
    width = chooseWidth();
  const title = data.title || "A program without a name";
  shortenNames(plans);
  document.body.classList.toggle("compared", plans.length > 1);
  document.title = `Partita: ${title}`;
  const parts = [
    drawHeadline(plans),
    drawMemory(plans, width),
    drawTimeline(plans, width),
    drawStrategies(plans, width),
    drawDifferences(plans, data.differences),
    drawSpecs(plans),
    drawMachine(plans, width),
    drawCollectives(plans, width),
  ].filter(Boolean);
  const links = parts.map(linkTo);
  document
    .getElementById("page")
    .replaceChildren(
      make(
        "header",
        {},
        make("h1", {}, title),
        themeButton(),
        make("nav", { "aria-label": "Parts of this page" }, links),
      ),
      ...parts,
      make("p", { class: "made-by" }, `Made by Partita ${data.partita}. Times and memory are predictions.`),
    );
}

drawPage(JSON.parse(document.getElementById("partita-data").textContent));
