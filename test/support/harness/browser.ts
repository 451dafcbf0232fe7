import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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

/** Starts the machine's Chromium without a window. Throws where there is none. */
export function openBrowser(): Promise<Browser> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error("Cannot find Chromium: install it, or name it by CHROMIUM");
  // In containers everything runs as root, and shared memory is small.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
