/**
 * `bun test/bench/first_paint.ts [word]`: when the first content of each screen is painted (First Contentful Paint) in Chromium with a CPU four times slower,
 * over 1.6 Mbit/s with 40 ms to and fro: at the first view, with an empty cache, and at a further one; with the bytes that came over the
 * line. The book has 1,000 pages. With a word, only the screens whose paths contain it. Shown is the median of three views.
 */
import { chromium, type Page } from "playwright-core";
import { browserPath } from "../support/harness/browser_path.ts";
import { openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { record } from "./record.ts";

const PASSWORD = "bench password";
const PORT = 18_084;
const URL_OF_SERVER = `http://127.0.0.1:${PORT}`;
const PAGES = 1_000;
const VIEWS = 3;
const SLOWER = 4;
/** 1.6 Mbit/s. */
const BYTES_PER_S = 200_000;
const LATENCY_MS = 40;
const LATEST_MS = 10_000;
const TEXT = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(40)}`;
const SCREENS = [
  ...["/login", "/", "/books", "/shelves", "/tags", "/search?query=failover", "/statistics"],
  ...["/books/long", "/books/long/page/page-500", "/books/long/page/page-500/edit", "/books/long/sort"],
  ...["/books/long/page/page-500/revisions", "/my-account/profile", "/settings/users", "/settings/roles/1"],
  ...["/settings/audit", "/settings/recycle-bin", "/settings/system"],
];

/** A view of a screen. */
interface View {
  readonly paintMs: number;
  readonly bytes: number;
}

const word = process.argv[2] ?? "";
const executablePath = browserPath();
if (executablePath === undefined) throw new Error("Cannot measure: install Chromium, or name it by CHROMIUM");
const servers = await openBenchServers();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

try {
  const env = { ...servers.env, ADMIN_PASSWORD: PASSWORD, PORT: String(PORT), APP_URL: URL_OF_SERVER };
  await servers.start([process.execPath, ...SERVE], env, PORT);
  await seed();
  for (const path of SCREENS) if (path.includes(word)) await measure(path);
} finally {
  await browser.close();
  await servers.stop();
}

async function measure(path: string): Promise<void> {
  const views: Record<"first" | "further", View[]> = { first: [], further: [] };
  for (let turn = 0; turn < VIEWS; turn++) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, baseURL: URL_OF_SERVER });
    if (path !== "/login")
      await context.request.post("/api/session", { data: { email: "admin@example.com", password: PASSWORD } });
    const page = await context.newPage();
    const line = await context.newCDPSession(page);
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: LATENCY_MS },
      ...{ downloadThroughput: BYTES_PER_S, uploadThroughput: BYTES_PER_S },
    });
    await line.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    let bytes = 0;
    line.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    for (const kind of ["first", "further"] as const) {
      bytes = 0;
      await page.goto(path, { waitUntil: "load" });
      views[kind].push({ paintMs: await firstPaint(page), bytes });
    }
    await context.close();
  }
  const [first, further] = [median(views.first), median(views.further)];
  record("First Contentful Paint", {
    screen: path,
    "first view ms": Math.round(first.paintMs),
    "its KB": (first.bytes / 1_024).toFixed(1),
    "further view ms": Math.round(further.paintMs),
    "its KB then": (further.bytes / 1_024).toFixed(1),
  });
}

async function firstPaint(page: Page): Promise<number> {
  const paint = () =>
    page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`) as Promise<
      number | undefined
    >;
  for (const until = performance.now() + LATEST_MS; performance.now() < until; await Bun.sleep(50)) {
    const at = await paint();
    if (at !== undefined) return at;
  }
  return Number.NaN;
}

function median(views: readonly View[]): View {
  return [...views].sort((one, other) => one.paintMs - other.paintMs)[Math.floor(views.length / 2)] as View;
}

async function seed(): Promise<void> {
  const post = async (path: string, body: unknown): Promise<{ id: number }> => {
    const answer = await fetch(URL_OF_SERVER + path, {
      method: "POST",
      headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Cannot measure: ${path} answered ${answer.status}`);
    return (await answer.json()) as { id: number };
  };
  const { id } = await post("/api/books", { name: "Long" });
  for (let n = 1; n <= PAGES; n++)
    await post("/api/pages", { book_id: id, name: `Page ${n}`, html: n === PAGES / 2 ? TEXT : "<p>Wait</p>" });
}
