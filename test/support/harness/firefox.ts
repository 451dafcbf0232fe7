import { existsSync } from "node:fs";
import puppeteer, { type Browser } from "puppeteer-core";
import { atEnd } from "./at_end.ts";
import { firefoxPath } from "./browser_path.ts";

/** The machine's Firefox without a window, driven by WebDriver BiDi. Throws where there is none. */
export async function startFirefox(): Promise<Browser> {
  const executablePath = firefoxPath();
  if (executablePath === undefined || !existsSync(executablePath))
    throw new Error(`Cannot find Firefox at "${executablePath ?? ""}": install it, or name it by FIREFOX`);
  const started = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
  atEnd(() => started.close());
  return started;
}
