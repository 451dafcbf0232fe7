import { type Browser, chromium } from "playwright-core";
import { atEnd } from "./at_end.ts";
import { browserPath } from "./browser_path.ts";

let browser: Browser | undefined;

/**
 * The machine's Chromium without a window, which the test files of this process share: each closes the pages and contexts that
 * it opens. One that has ended, as Bun ends the child processes of a hook that times out, is replaced. Throws where there is none.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!browser?.isConnected()) browser = await start();
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
