import { type Browser, chromium } from "playwright-core";
import { atEnd } from "./at_end.ts";
import { browserPath } from "./browser_path.ts";

/** What Playwright 1.65 turns off; a second `--disable-features` replaces the first, so it is repeated here. */
const OFF_BY_PLAYWRIGHT =
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch";
/** The popups of an address bar that nobody sees: each context starts a process for them, which costs more than its page. */
const POPUPS = "WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup";
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", `--disable-features=${OFF_BY_PLAYWRIGHT},${POPUPS}`];

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
  const started = await chromium.launch({ executablePath, args: FLAGS });
  atEnd(() => started.close());
  return started;
}
