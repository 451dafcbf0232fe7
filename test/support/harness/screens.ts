/**
 * Screens in a browser: a runtime that listens, signed-in users, and checks of every screen: no violation that axe finds,
 * nothing refused by the Content-Security-Policy, no error in its scripts.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { configSchema } from "../../../core/config.ts";
import { createLog } from "../../../core/log.ts";
import { readSettings } from "../../../core/runtime/settings.ts";
import { type Listening, listen } from "../../../core/workers/listen.ts";
import { sharedBrowser } from "./browser.ts";
import { scaled } from "./machine_speed.ts";
import { freePort } from "./ports.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "./test_runtime.ts";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** What Playwright waits for an element or a screen by default, on an idle machine. */
const ACTION_MS = 30_000;
const ADMIN = { email: "admin@example.com", password: "correct horse battery" };

/** How a browser shows a screen. */
export interface Look {
  /** 1280 by 900, or 390 by 844; desktop by default. */
  readonly size?: "desktop" | "phone";
  readonly scheme?: "light" | "dark";
  readonly scripts?: boolean;
  readonly language?: string;
}

/** A runtime with its screens, and a browser that visits it. */
export interface ScreenRuntime {
  readonly runtime: TestRuntime;
  readonly url: string;
  /** An empty page of a fresh browser context; signed in as the administrator by default, as a guest by null. */
  visit(who?: { email: string; password: string } | null, look?: Look): Promise<Page>;
  /** A user with a role of these permissions, and how they sign in. */
  user(name: string, permissions: readonly string[]): Promise<{ id: number; email: string; password: string }>;
  stop(): Promise<void>;
}

/** Boots a runtime and listens on a free port of its address. */
export async function openScreens(options: TestRuntimeOptions = {}): Promise<ScreenRuntime> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const runtime = await bootTestRuntime({ ...options, env: { APP_URL: url, ...options.env } });
  const listening: Listening = await listen(
    runtime.runtime,
    readSettings("lectern", configSchema, { PORT: String(port), APP_URL: url }),
    createLog("silent"),
  );
  const contexts: BrowserContext[] = [];
  return {
    runtime,
    url,
    async visit(who = ADMIN, { size = "desktop", scheme = "light", scripts = true, language = "en-GB" } = {}) {
      const context = await (await sharedBrowser()).newContext({
        viewport: size === "phone" ? { width: 390, height: 844 } : { width: 1280, height: 900 },
        colorScheme: scheme,
        javaScriptEnabled: scripts,
        locale: language,
        baseURL: url,
      });
      contexts.push(context);
      context.setDefaultTimeout(scaled(ACTION_MS));
      if (who) await openSession(context, who);
      const page = await context.newPage();
      watch(page);
      return page;
    },
    async user(name, permissions) {
      const { id } = await runtime.person(name, permissions);
      const email = `${name.toLowerCase()}-${id}@example.com`;
      const password = "a long enough password";
      await runtime.ask("PUT", `/api/users/${id}`, { body: { email, password } });
      return { id, email, password };
    },
    async stop() {
      for (const context of contexts) await context.close();
      await listening.stop().catch(() => runtime.stop());
    },
  };
}

/** Gives a context the cookie of a new session; tests of the screen sign in by `signIn`. */
async function openSession(context: BrowserContext, { email, password }: { email: string; password: string }) {
  const response = await context.request.post("/api/session", { data: { email, password } });
  if (!response.ok()) throw new Error(`Cannot sign in as ${email}: ${response.status()} ${await response.text()}`);
}

/** Signs in by the screen, as a person would. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.locator("main form button").click();
  await page.waitForURL((url) => !url.pathname.endsWith("/login"));
}

const COMPLAINTS = new WeakMap<Page, string[]>();

function watch(page: Page): void {
  const complaints: string[] = [];
  COMPLAINTS.set(page, complaints);
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of (4\d\d|5\d\d)/.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
}

/**
 * Problems of the screen that a page shows: violations of WCAG 2.2 AA and best practices, what the policy refused, errors
 * of scripts, and a body wider than the window. Empty where all is well. Needs a page with scripts.
 */
export async function errorsOf(page: Page): Promise<string[]> {
  const complaints = [...(COMPLAINTS.get(page) ?? [])];
  await page.evaluate(AXE);
  // Its rules about style sheets are experimental ones, which do not run: no sheet is fetched and parsed again for them.
  const found = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], preload: { assets: ['media'] } }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).join(' | ')))",
  )) as string[];
  const spill = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  return [...complaints, ...found, ...(spill > 0 ? [`The screen is ${spill} pixels wider than the window`] : [])];
}

/** Saves a screenshot where SCREENSHOTS names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
