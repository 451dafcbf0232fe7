/** Mails of notifications, received by a mail server and opened as a mail program does. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { mailDue } from "../../plugins/content/watching/mail.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const READER = [
  "access-api",
  "book-view-all",
  "chapter-view-all",
  "page-view-all",
  "revision-view-all",
  "receive-notifications",
];
const closed = {
  fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
};

const mails: ParsedMail[] = [];
/** What the mail server answers in place of taking a mail; by the recipient. */
const refusals: Record<string, number> = {};
const refusal = (address: string) => {
  const code = refusals[address.slice(0, 3)];
  return code === undefined ? undefined : Object.assign(new Error("Not now"), { responseCode: code });
};
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onRcptTo: ({ address }, _session, done) => done(refusal(address)),
  onData(stream, _session, done) {
    simpleParser(stream).then((mail) => {
      mails.push(mail);
      done();
    }, done);
  },
});

let runtime: TestRuntime;
let book: number;
const ask = (method: string, path: string, as?: string | null, body?: object) =>
  runtime.ask(method, path, { ...(as === undefined ? {} : { as }), ...(body && { body }) });
const made = async (path: string, body: object, as?: string) => (await ask("POST", path, as, body)).body.id as number;
/** What a minute later would be sent, some minutes after what was done. */
const sent = async (on: TestRuntime = runtime, minutes = 11): Promise<readonly ParsedMail[]> => {
  mails.length = 0;
  await on.runtime.jobs.drain();
  await rows(
    runtime.db,
    sql`update user_notifications set updated_at = updated_at - make_interval(mins => ${minutes}) where mailed_at is null`,
  );
  await mailDue(on.contexts.get("watching") as never);
  await on.runtime.jobs.drain();
  return mails;
};
const to = (mail: ParsedMail) => (Array.isArray(mail.to) ? mail.to : [mail.to]).map((one) => one?.text).join();
const env = () => ({
  MAIL_HOST: "127.0.0.1",
  MAIL_PORT: String((server.server.address() as { port: number }).port),
  MAIL_FROM: "wiki@example.com",
});

beforeAll(async () => {
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  runtime = await bootTestRuntime({ env: env() });
  book = await made("/api/books", { name: "Runbooks" });
  await ask("PUT", "/api/notification-preferences", undefined, { mail: "never" });
});
beforeEach(async () => {
  await sent();
});
afterAll(async () => {
  await runtime.stop();
  await new Promise<void>((ended) => void server.close(() => ended()));
});

const watcher = async (name: string, page: number, mail = "at_once") => {
  const one = await runtime.person(name, READER);
  await ask("PUT", `/api/watches/page/${page}`, one.token, { level: "comments" });
  await ask("PUT", "/api/notification-preferences", one.token, { mail });
  return one;
};
const paged = async (name: string) => {
  const id = await made("/api/pages", { book_id: book, name, html: "<p>First.</p>" });
  await runtime.runtime.jobs.drain();
  return id;
};

test("a mail says who did what, without any of the text, and how to end such mails", async () => {
  const page = await paged("Failover");
  const ann = await watcher("Ann", page);
  await made("/api/comments", { page_id: page, html: "<p>A secret word.</p>" });
  const [mail, ...others] = await sent();
  expect([others.length, mail?.subject]).toEqual([0, "Admin commented on “Failover”"]);
  expect(mail?.text).toContain(`${runtime.baseUrl}/books/runbooks/page/failover#comment1`);
  expect(`${mail?.text}${mail?.html}`).not.toContain("secret");
  const list = mail?.headers.get("list") as unknown as { unsubscribe: { url: string } };
  const { pathname } = new URL(list.unsubscribe.url);
  expect(mail?.headerLines.find(({ key }) => key === "list-unsubscribe-post")?.line).toBe(
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  );
  // Opening the link changes nothing; the mail program posts without a session.
  const preference = async () => (await ask("GET", "/api/notification-preferences", ann.token)).body.mail;
  const opened = await ask("GET", pathname, null);
  expect([opened.status, await preference()]).toEqual([200, "at_once"]);
  expect(opened.body).toContain("Get no more mails");
  const form = { "List-Unsubscribe": "One-Click" };
  const wrong = await runtime.ask("POST", `${pathname.slice(0, -1)}-`, { as: null, form });
  expect([wrong.status, await preference()]).toEqual([404, "at_once"]);
  const posted = await runtime.ask("POST", pathname, { as: null, form });
  expect([posted.status, await preference()]).toEqual([200, "never"]);
  await made("/api/comments", { page_id: page, html: "<p>More.</p>" });
  expect(await sent()).toEqual([]);
});

test("changes of one author are one mail with the difference, once the author has paused", async () => {
  const page = await paged("Often");
  await watcher("Ben", page);
  for (const text of ["Second", "Third"])
    await ask("PUT", `/api/pages/${page}`, undefined, { html: `<p>${text}.</p>` });
  expect(await sent(runtime, 0)).toEqual([]);
  const [mail, ...others] = await sent();
  expect([others.length, mail?.subject]).toEqual([0, "Admin changed “Often” (2 changes)"]);
  expect(mail?.text).toMatch(/\/books\/runbooks\/page\/often\/compare-revisions\?from=\d+\n/);
  expect(await sent()).toEqual([]);
});

test("an author who goes on for hours is no more than one mail an hour, each with what is new in it", async () => {
  const page = await paged("Endless");
  await watcher("Gil", page);
  const subjects: string[] = [];
  const differences: (string | undefined)[] = [];
  for (let each = 0; each < 6; each++) {
    await ask("PUT", `/api/pages/${page}`, undefined, { html: `<p>Edit ${each}.</p>` });
    await runtime.runtime.jobs.drain();
    await rows(runtime.db, sql`update user_notifications set created_at = created_at - interval '25 minutes'`);
    for (const mail of await sent(runtime, 9)) {
      subjects.push(mail.subject ?? "");
      differences.push(/compare-revisions\?from=(\d+)/.exec(mail.text ?? "")?.[1]);
    }
  }
  expect(subjects).toEqual(Array(2).fill("Admin changed “Endless” (3 changes)"));
  expect(new Set(differences).size).toBe(2);
});

test("a new page is mailed at once, and what its author changes after that when the author has paused", async () => {
  const ann = await runtime.person("Hal", READER);
  await ask("PUT", `/api/watches/book/${book}`, ann.token, { level: "updates" });
  const page = await made("/api/pages", { book_id: book, name: "Growing", html: "<p>First.</p>" });
  const subjects = (await sent(runtime, 1)).map(({ subject }) => subject);
  for (let each = 0; each < 4; each++) {
    await ask("PUT", `/api/pages/${page}`, undefined, { html: `<p>Edit ${each}.</p>` });
    subjects.push(...(await sent(runtime, 1)).map(({ subject }) => subject));
  }
  subjects.push(...(await sent()).map(({ subject }) => subject));
  await ask("DELETE", `/api/watches/book/${book}`, ann.token);
  expect(subjects).toEqual(["Admin created “Growing”", "Admin created “Growing” (5 changes)"]);
});

test("names are said as they are, in a subject of bounded length, and as text in HTML", async () => {
  const page = await paged(`<b>:author</b> $& ${"😀".repeat(100)}`);
  await watcher("Kim", page);
  const writer = await runtime.person("Sly", [...READER, "comment-create-all"]);
  await ask("PUT", `/api/users/${writer.id}`, undefined, { name: ":page, Bcc: <x@example.com>" });
  await made("/api/comments", { page_id: page, html: "<p>Hm.</p>" }, writer.token);
  const [mail, ...others] = await sent();
  expect([others.length, to(mail as ParsedMail).slice(0, 3), mail?.bcc]).toEqual([0, "Kim", undefined]);
  expect(mail?.subject).toMatch(/^:page, Bcc: <x@example\.com> commented on “<b>:author<\/b> \$& (?:😀)+…$/u);
  expect(mail?.html).toContain("“&lt;b&gt;:author&lt;/b&gt; $&amp; 😀");
});

test("what the reader may see no longer when the mail is sent is not in it", async () => {
  const [open, shut] = [await paged("Open"), await paged("Shut")];
  const cy = await watcher("Cy", open);
  await ask("PUT", `/api/watches/page/${shut}`, cy.token, { level: "comments" });
  for (const page_id of [open, shut]) await made("/api/comments", { page_id, html: "<p>Hm.</p>" });
  await runtime.runtime.jobs.drain();
  await ask("PUT", `/api/content-permissions/page/${shut}`, undefined, closed);
  const [mail] = await sent();
  expect(mail?.subject).toBe("Admin commented on “Open”");
  expect(`${mail?.text}${mail?.html}`).not.toContain("Shut");
  // Nor is it sent where it is opened again, or where somebody may receive no notifications any more.
  await ask("PUT", `/api/content-permissions/page/${shut}`, undefined, { fallback_permissions: { inheriting: true } });
  await made("/api/comments", { page_id: open, html: "<p>Hm.</p>" });
  await runtime.runtime.jobs.drain();
  await ask("PUT", `/api/roles/${cy.role}`, undefined, { permissions: READER.slice(0, -1) });
  expect(await sent()).toEqual([]);
});

test("what a mail server does not take now is sent later, without dead jobs, and what it refuses for good is not tried again", async () => {
  const page = await paged("Late");
  for (const name of ["Ike", "Jim"]) await watcher(name, page);
  Object.assign(refusals, { Ike: 451, Jim: 550 });
  await made("/api/comments", { page_id: page, html: "<p>Hm.</p>" });
  expect(await sent()).toEqual([]);
  const again = async () => {
    await rows(runtime.db, sql`update jobs set run_at = now()`);
    await runtime.runtime.jobs.drain();
  };
  for (let each = 0; each < 6; each++) await again();
  // Nor does the schedule ask twice meanwhile.
  expect(await sent()).toEqual([]);
  const jobs = await rows<{ dead: boolean }>(runtime.db, sql`select dead from jobs where name = 'watching_mail'`);
  expect(jobs).toEqual([{ dead: false }]);
  for (const name of Object.keys(refusals)) delete refusals[name];
  await again();
  expect(mails.map((mail) => [to(mail).slice(0, 3), mail.subject])).toEqual([["Ike", "Admin commented on “Late”"]]);
  expect(await sent()).toEqual([]);
});

test("a digest is sent once a day, and no more than ten mails in an hour", async () => {
  const page = await paged("Busy");
  await watcher("Dee", page, "daily");
  const eve = await watcher("Eve", page);
  const counts: Record<string, number> = {};
  for (let each = 0; each < 12; each++) {
    await made("/api/comments", { page_id: page, html: "<p>Hm.</p>" });
    for (const mail of await sent()) counts[to(mail).slice(0, 3)] = (counts[to(mail).slice(0, 3)] ?? 0) + 1;
  }
  expect(counts).toEqual({ Dee: 1, Eve: 10 });
  await rows(
    runtime.db,
    sql`update notification_mails set last_at = last_at - interval '25 hours', window_at = window_at - interval '61 minutes'`,
  );
  await ask("PUT", "/api/users/me", eve.token, { language: "de" });
  const subjects = Object.fromEntries((await sent()).map((mail) => [to(mail).slice(0, 3), mail.subject]));
  const host = new URL(runtime.baseUrl).host;
  expect(subjects).toEqual({ Dee: `11 notifications of ${host}`, Eve: `2 Benachrichtigungen von ${host}` });
});

test("a part of the text is in mails where the operator says so", async () => {
  const other = await bootTestRuntime({
    beside: runtime,
    env: env(),
    choices: { settings: { watching: { mailExcerpt: true } } },
  });
  const page = await paged("Shown");
  await watcher("Fay", page);
  await ask("PUT", `/api/pages/${page}`, undefined, { html: "<p>Changed entirely.</p>" });
  await made("/api/comments", { page_id: page, html: "<p>An <em>open</em> word.</p>" });
  const [mail] = await sent(other);
  await other.stop();
  expect(mail?.text).toContain("An open word.");
  expect(mail?.text).toContain("+ Changed entirely");
});
