import { existsSync } from "node:fs";

/** Where Chromium is, by the names it has on common systems. */
const PLACES = [
  // A browser that has no windows at all starts no processes for them: a visit takes a third of the CPU time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The same of Firefox. */
const FIREFOX_PLACES = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/** The path of Firefox: FIREFOX, whether it is there or not, else the first that is installed; undefined where there is none. */
export function firefoxPath(): string | undefined {
  const { FIREFOX = "" } = process.env;
  return FIREFOX === "" ? FIREFOX_PLACES.find((path) => existsSync(path)) : FIREFOX;
}

/** The path of a browser on this machine: CHROMIUM, else the first that is installed; undefined where there is none. */
export function browserPath(): string | undefined {
  return [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
}
