/**
 * The rich editor: `bun test/bench/editor.ts FILE` opens the HTML of page bodies in it and writes it again. FILE is JSON: a list of HTML, or of
 * objects with `raw_html`. Prints how many bodies have the same tree afterwards, those that have not, how many have parts that are
 * shown and not edited, and the size of the editor's script.
 */
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserPath } from "../support/harness/browser_path.ts";
import { richRoundTrips } from "../support/harness/rich_round_trip.ts";

const [file] = process.argv.slice(2);
const executablePath = browserPath();
if (file === undefined || executablePath === undefined)
  throw new Error("Usage: bun test/bench/editor.ts FILE, with Chromium installed");
const listed = (await Bun.file(file).json()) as (string | { raw_html?: string })[];
const bodies = listed.map((each) => (typeof each === "string" ? each : (each.raw_html ?? ""))).filter(Boolean);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const trips = await richRoundTrips(await browser.newPage(), bodies);
  for (const [index, trip] of trips.entries())
    if (!trip.isSame) process.stdout.write(`differs:\n  ${bodies[index]}\n  ${trip.html}\n`);
  const count = (test: (trip: (typeof trips)[number]) => boolean) => trips.filter(test).length;
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../plugins/web/editing/browser/rich.ts")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const script = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? new ArrayBuffer());
  process.stdout.write(`bodies: ${bodies.length}
same tree: ${count(({ isSame }) => isSame)}
with parts that are shown and not edited: ${count(({ whole }) => whole > 0)}
of those with blocks that the schema would change: ${count(({ keptBlocks }) => keptBlocks > 0)}
script: ${script.length} bytes, ${Bun.gzipSync(script).length} with gzip
`);
} finally {
  await browser.close();
}
