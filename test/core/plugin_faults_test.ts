/**
 * A contribution that fails: a table over the slots, with each way to fail. Where a slot leaves out the part, the rest is answered, the
 * fault is logged once and shown to administrators; where it stops the operation, nothing is done. Which slot does what is
 * documented in plugins/hooks.md, and the tables here have every slot that is documented.
 */
import { afterAll, beforeAll, expect, type Mock, setDefaultTimeout, setSystemTime, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { LEFT_OUT_MS } from "../../core/std/failure_streaks.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { type How, MARK, trouble, whileFailing } from "../support/harness/trouble.ts";

setDefaultTimeout(120_000);

const LIMIT_MS = scaled(300);
const METRICS_TOKEN = "scraper";

let runtime: TestRuntime;
let logged: Mock<typeof process.stderr.write>;
let cookie = "";
let book: { readonly id: number; readonly slug: string };
const ids = { chapter: 0, broken: 0, page: 0 };

beforeAll(async () => {
  runtime = await bootTestRuntime({
    extra: [trouble],
    // Its SQL is a part of the statement that reads a chapter.
    areShipped: true,
    env: { LOG_LEVEL: "error", METRICS_TOKEN },
    constants: { core: { partTimeoutMs: LIMIT_MS } },
  });
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Steady" } })).body;
  for (const [key, name] of [
    ["chapter", "Chapter"],
    ["broken", "Broken"],
  ] as const)
    ids[key] = (await runtime.ask("POST", "/api/chapters", { body: { name, book_id: book.id } })).body.id;
  const body = { name: "Page", book_id: book.id, html: `<p><a href="http://localhost/uploads/images/a.png">x</a></p>` };
  ids.page = (await runtime.ask("POST", "/api/pages", { body })).body.id;
  const pictured = { name: "Pictured", book_id: book.id, html: '<p><img src="/trouble.png" alt="A picture"></p>' };
  await runtime.ask("POST", "/api/pages", { body: pictured });
  const signed = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: signed });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(async () => {
  logged.mockRestore();
  await runtime.stop();
});

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function api(method: string, path: string, body?: unknown): Promise<Answered> {
  const answer = await runtime.ask(method, path, body === undefined ? {} : { body });
  return { status: answer.status, text: JSON.stringify(answer.body) };
}

async function screen(path: string): Promise<Answered> {
  const request = new Request(`http://localhost${path}`, { headers: { accept: "text/html", cookie } });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  return { status: response.status, text: `${response.headers.get("location")} ${await response.text()}` };
}

const faultsAt = (place: string) =>
  [...runtime.contexts.values()][0]?.runtime
    .faults()
    .filter((each) => each.place === place && each.plugin === "trouble");
const linesAt = (place: string) =>
  logged.mock.calls.filter(
    ([line]) => String(line).includes('"plugin":"trouble"') && String(line).includes(`"${place}"`),
  );

/** What is answered after the minute in which a part that failed three times running is not called. */
async function later(ask: () => Promise<Answered>): Promise<Answered> {
  setSystemTime(Date.now() + LEFT_OUT_MS + 1_000);
  try {
    return await ask();
  } finally {
    setSystemTime();
  }
}

const ALL: readonly How[] = ["throws", "rejects", "hangs", "is unusable"];
const bookScreen = () => screen(`/books/${book.slug}`);
const readBook = () => api("GET", `/api/books/${book.id}`);
const newPage = () => api("POST", "/api/pages", { name: "New", book_id: book.id, markdown: "# Hello" });

/** Slot, what fails, in which ways, a request that it takes part in, the mark of its part, status without it, place. */
type Row = [string, string, readonly How[], () => Promise<Answered>, string, number, string];
const LEFT_OUT: readonly Row[] = [
  ["screen_part", "screen_part", ALL, bookScreen, `<p>${MARK}`, 200, "screen_part book/below"],
  [
    "screen_part",
    "view_part",
    ["throws", "rejects", "is unusable"],
    bookScreen,
    `<i>${MARK}`,
    200,
    "screen_part reading/book/after",
  ],
  [
    ...([
      "view_replacement",
      "view_replacement",
      ["throws", "rejects", "is unusable"],
      bookScreen,
      `<b>${MARK}`,
      200,
    ] as const),
    "view_replacement layout/footer",
  ],
  [
    ...(["document_head", "document_head", ["throws", "rejects", "is unusable"], bookScreen] as const),
    ...([`<meta name="${MARK}`, 200, "document_head"] as const),
  ],
  ["screen_head", "screen_head", ["throws", "rejects", "is unusable"], bookScreen, `head-${MARK}`, 200, "screen_head"],
  [
    "screen_part",
    "toolbar_entry",
    ["throws", "rejects", "is unusable"],
    bookScreen,
    `/tool-${MARK}`,
    200,
    "screen_part book/toolbar",
  ],
  [
    ...(["screen_part", "screen_figure", ALL, () => screen("/settings/system")] as const),
    ...([`figure-${MARK}`, 200, "screen_part system/figures"] as const),
  ],
  ["screen_part", "menu", ["throws", "is unusable"], bookScreen, `/${MARK}`, 200, "screen_part menu/main"],
  ["screen_redirect", "screen_redirect", ALL, () => screen("/books/nowhere"), `moved-${MARK}`, 404, "screen_redirect"],
  ["response_fields", "read", ALL, readBook, MARK, 200, "response_fields book.read"],
  ["response_fields", "listed", ALL, () => api("GET", "/api/books"), MARK, 200, "response_fields book.listed"],
  [
    ...(["response_fields", "saved", ALL] as const),
    () => api("PUT", `/api/books/${book.id}`, { description: "changed" }),
    ...([MARK, 200, "response_fields book.saved"] as const),
  ],
  [
    ...(["response_fields", "present", ALL] as const),
    () => api("GET", `/api/chapters/${ids.chapter}`),
    ...([MARK, 200, "response_fields chapter.read"] as const),
  ],
  [
    ...(["dashboard_figure", "dashboard_figure", ALL] as const),
    () => api("GET", "/api/v1/dashboard/numbers"),
    ...(["trouble_count", 200, "dashboard_figure trouble_count"] as const),
  ],
  [
    ...(["page_pictures", "page_pictures", ALL, () => screen(`/books/${book.slug}/page/pictured`)] as const),
    ...([`/${MARK}-400.png`, 200, "page_pictures"] as const),
  ],
  ["metric", "metric", ALL, metrics, "lectern_trouble 41", 200, "metric lectern_trouble"],
];

/** The metrics for monitoring. */
async function metrics(): Promise<Answered> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const request = new Request("http://localhost/metrics", { headers });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  return { status: response.status, text: await response.text() };
}

test.each(LEFT_OUT)("%s: the part of a plugin that fails is left out (%s)", async (...row) => {
  const [, part, hows, ask, mark, status, place] = row;
  expect((await ask()).text).toContain(mark);
  for (const how of hows) {
    const answers = await whileFailing(part, how, async () => [await ask(), await ask()]);
    for (const answer of answers) {
      expect([how, answer.status]).toEqual([how, status]);
      expect(answer.text).not.toContain(mark);
    }
    expect((await later(ask)).text).toContain(mark);
  }
  const [fault, ...others] = faultsAt(place) ?? [];
  expect(others).toEqual([]);
  expect(fault?.count).toBeGreaterThanOrEqual(hows.length * 2);
  expect(linesAt(place)).toHaveLength(1);
});

/** Slot, what fails, in which ways, the operation that it stops. */
const STOPS: readonly [slot: string, part: string, hows: readonly How[], ask: () => Promise<Answered>][] = [
  ["dependents", "dependents", ["throws", "rejects"], destroyBook],
  ["instance_setting", "instance_setting", ["throws", "rejects"], () => api("PUT", "/api/settings", { trouble: "x" })],
  // It is configured by the first conversion that succeeds.
  ["markdown_converter", "markdown_converter", ["throws"], newPage],
  ["page_content", "preStore", ["throws", "rejects"], newPage],
  ["page_content", "postRender", ["throws", "rejects"], () => api("GET", `/api/pages/${ids.page}`)],
  ["screen_hook", "before", ["throws", "rejects"], bookScreen],
  ["screen_hook", "after", ["throws", "rejects"], bookScreen],
  ["activity", "activity", ["throws"], () => api("POST", "/api/books", { name: "Unlogged" })],
  ["export_format", "export_format", ["throws", "rejects"], () => api("GET", `/api/pages/${ids.page}/export/trouble`)],
  ["export_files", "export_files", ["throws", "rejects"], () => api("GET", `/api/books/${book.id}/export/zip`)],
];

/** Deletes a book for good, and with the answer says whether its entry of the recycle bin is still there. */
async function destroyBook(): Promise<Answered> {
  const { id } = (await runtime.ask("POST", "/api/books", { body: { name: "Doomed" } })).body;
  await runtime.ask("DELETE", `/api/books/${id}`);
  const entry = (await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=1")).body.data[0].id;
  const answer = await api("DELETE", `/api/recycle-bin/${entry}`);
  const left = (await runtime.ask("GET", "/api/recycle-bin?sort=-id&count=1")).body.data[0]?.id === entry;
  return answer.status === 500 && !left ? { status: 0, text: "the entry is gone" } : answer;
}

test.each(STOPS)("%s: a failure stops the operation (%s)", async (...row) => {
  const [, part, hows, ask] = row;
  for (const how of hows) {
    const { status } = await whileFailing(part, how, ask);
    expect([how, status]).toEqual([how, 500]);
  }
  expect((await ask()).status).toBeLessThan(300);
});

test("file_claims: a failure stops the sweep, which would delete files in use", async () => {
  await putFile();
  const sweep = async () => runtime.contexts.get("system")?.contracts.upkeep.lostFiles();
  expect((await sweep())?.kept).toBeGreaterThan(0);
  await expect(whileFailing("file_claims", "rejects", sweep)).rejects.toThrow("rejected");
});

/** Stores a file of the plugin, so that its claim is asked. */
async function putFile(): Promise<void> {
  const path = join(runtime.dataDir, "files", "trouble", "a");
  await Bun.write(path, "x");
  await utimes(path, 1, 1);
}

test("SQL that fails when an item is read is left out, and the fields are read otherwise", async () => {
  const answer = await api("GET", `/api/chapters/${ids.broken}`);
  expect([answer.status, answer.text.includes(MARK)]).toEqual([200, true]);
  expect(faultsAt("response_fields chapter.read")?.[0]?.message).toContain("division by zero");
});

test("administrators read on screens and by the API which parts are missing, others do not", async () => {
  await whileFailing("screen_part", "throws", bookScreen);
  const notice = "Parts of these plugins failed and are missing: trouble";
  expect((await bookScreen()).text).toContain(notice);
  const system = (await screen("/settings/system")).text;
  for (const text of ["Missing parts", "screen_part book/below", "screen_part is out of order"])
    expect(system).toContain(text);
  const listed = (await runtime.ask("GET", "/api/system/faults")).body;
  expect(listed.data[0]).toMatchObject({ plugin: "trouble", place: "screen_part book/below" });
  const reader = await runtime.person("reader", ["book-view-all"]);
  expect((await runtime.ask("GET", "/api/system/faults", { as: reader.token })).status).toBe(403);
  const admin = cookie;
  await runtime.ask("PUT", `/api/users/${reader.id}`, {
    body: { email: "reader@example.com", password: "long enough" },
  });
  const body = { email: "reader@example.com", password: "long enough" };
  cookie =
    (await runtime.ask("POST", "/api/session", { as: null, body })).headers.get("set-cookie")?.split(";")[0] ?? "";
  const seen = await bookScreen();
  cookie = admin;
  expect([seen.status, seen.text.includes(notice)]).toEqual([200, false]);
});

/** Slots whose owners use one contribution, or call all in a transaction, plainly: an import, a copy of an instance, a sign-in, a mail. */
const PLAIN = [
  ...["content_maker", "content_record", "file_keeper", "import_files", "picture_keeper"],
  ...["file_store", "mail_transport", "search_engine", "sign_in_step"],
];
/** Readers of kinds of items, which the screens above read through; parts of kinds of content. */
const BY_KIND = ["content", "export_kind", "item_reader", "last_activity", "searched_parts", "user_picture"];

test("every slot is documented with what its failure does, and tried here", () => {
  const hooks = readFileSync(join(import.meta.dir, "../../plugins/hooks.md"), "utf8");
  const section = (title: string) => hooks.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = (title: string) =>
    [...section(title).matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)].map(([, names = "", rule = ""]) => ({
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""),
      rule,
    }));
  const documented = rows("When a contribution fails");
  expect(documented.flatMap(({ names }) => names).sort()).toEqual(
    rows("Slots")
      .flatMap(({ names }) => names)
      .sort(),
  );
  const ruledBy = (word: string) =>
    documented.filter(({ rule }) => rule.startsWith(word)).flatMap(({ names }) => names);
  const tried = (table: readonly (readonly [string, ...unknown[]])[]) => new Set(table.map(([slot]) => slot));
  const untried = [...PLAIN, ...BY_KIND];
  expect(ruledBy("left out").filter((slot) => !tried(LEFT_OUT).has(slot) && !untried.includes(slot))).toEqual([]);
  expect(
    ruledBy("stops").filter((slot) => !tried(STOPS).has(slot) && !untried.includes(slot) && slot !== "file_claims"),
  ).toEqual([]);
});

// The last one, since its faults have later times than others.
test("a part that failed three times running is not called for a minute, then once", async () => {
  const place = "response_fields book.listed";
  const failures = () => faultsAt(place)?.[0]?.count ?? 0;
  const listed = async () => (await api("GET", "/api/books")).text;
  const [before, started] = [failures(), Date.now()];
  const minutesLater = (minutes: number) => setSystemTime(started + 1.5 * minutes * LEFT_OUT_MS);
  try {
    await whileFailing("listed", "hangs", async () => {
      for (let read = 0; read < 5; read++) expect(await listed()).not.toContain(MARK);
      expect(failures()).toBe(before + 3);
      minutesLater(1);
      for (let read = 0; read < 2; read++) expect(await listed()).not.toContain(MARK);
      expect(failures()).toBe(before + 4);
    });
    // It would answer now, and is not asked.
    expect(await listed()).not.toContain(MARK);
    minutesLater(2);
    for (let read = 0; read < 2; read++) expect(await listed()).toContain(MARK);
  } finally {
    setSystemTime();
  }
});
