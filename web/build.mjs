// Bundles the report's page: node web/build.mjs FOLDER writes FOLDER/page.html, which holds the styles, the program, the
// licenses of what is in it, and a place for the data.
//
// Packages come from npm by web/package-lock.json, into FOLDER, and only if that file has changed since. The same inputs
// give the same bytes.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? "build/web");

function installPackages() {
  const lock = readFileSync(path.join(web, "package-lock.json"));
  const wanted = createHash("sha256").update(lock).digest("hex");
  const stamp = path.join(folder, "packages.sha256");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(path.join(web, name), path.join(folder, name));
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const done = spawnSync("npm", options, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (done.error || done.status !== 0) {
    console.error("web/build.mjs: npm ci failed; it needs npm on the path and, the first time, its registry");
    process.exit(69);
  }
  writeFileSync(stamp, wanted);
}

async function bundle() {
  const esbuild = createRequire(path.join(folder, "package.json"))("esbuild");
  const result = await esbuild.build({
    absWorkingDir: web,
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    charset: "utf8",
    target: "es2021",
    format: "iife",
    legalComments: "none",
    nodePaths: [path.join(folder, "node_modules")],
    loader: { ".css": "text" },
  });
  const [{ inputs }] = Object.values(result.metafile.outputs);
  const used = Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0);
  return { script: result.outputFiles[0].text, inputs: used };
}

const readPackage = (name) => JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8"));

/** The packages of which the bundle has a file, and those they depend on, of which they may hold copies. */
function listPackages(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  for (const name of [...names]) Object.keys(readPackage(name).dependencies ?? {}).forEach((each) => names.add(each));
  return [...names].sort();
}

/** The name, version and license of each. */
function listLicenses(names) {
  return names.map((name) => {
    const home = path.join(folder, "node_modules", name);
    const { version, license } = readPackage(name);
    const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(path.join(home, file), "utf8").trim() : "";
    return { head: `${name} ${version} (${license})`, text };
  });
}

/** Packages with the same text stand together. */
function printLicenses(licenses) {
  const heads = new Map();
  for (const { head, text } of licenses) heads.set(text, [...(heads.get(text) ?? []), head]);
  return [...heads].map(([text, list]) => `${list.join(", ")}\n\n${text}`).join("\n\n----\n\n");
}

const escapeHtml = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const put = (page, place, text) => page.replace(place, () => text);

mkdirSync(folder, { recursive: true });
installPackages();
const { script, inputs } = await bundle();
let page = readFileSync(path.join(web, "page.html"), "utf8");
page = put(page, "/*STYLES*/", readFileSync(path.join(web, "page.css"), "utf8"));
page = put(page, "<!--LICENSES-->", escapeHtml(printLicenses(listLicenses(listPackages(inputs)))));
page = put(page, "/*SCRIPT*/", script.trim().replaceAll("</script", "<\\/script"));
writeFileSync(path.join(folder, "page.html"), page);
