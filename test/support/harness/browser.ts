import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { atEnd } from "./at_end.ts";

/** Where Chromium is, by the names it has on common systems. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a browser on this machine: CHROMIUM, else the first that is installed; undefined where there is none. */
export function browserPath(): string | undefined {
  return [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
}

let browser: Promise<Browser> | undefined;

/**
 * The machine's Chromium without a window, which the test files of this process share: each closes the pages and contexts that
 * it opens. Throws where there is none.
 */
export function sharedBrowser(): Promise<Browser> {
  browser ??= start();
  return browser;
}

async function start(): Promise<Browser> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error("Cannot find Chromium: install it, or name it by CHROMIUM");
  // In containers everything runs as root, and shared memory is small.
  const started = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  atEnd(() => started.close());
  return started;
}
