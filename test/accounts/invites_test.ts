import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { CommandIo } from "lectern/cli";
import { type FakeSmtp, fakeSmtp } from "../support/fakes/smtp.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let smtp: FakeSmtp;
let runtime: TestRuntime;
beforeAll(async () => {
  smtp = fakeSmtp();
  runtime = await bootTestRuntime({
    env: { MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port), MAIL_FROM: "Wiki <wiki@example.com>" },
  });
});
afterAll(async () => {
  await runtime.stop();
  smtp.stop();
});
// Messages of earlier tests are sent before a test counts its own.
beforeEach(() => runtime.runtime.jobs.drain());

const GONE = { error: { message: "Link not found", code: 404 } };
const invited = async (email: string, name = "Ina") =>
  (await runtime.ask("POST", "/api/users", { body: { name, email, send_invite: true } })).body.id as number;
const accept = (token: string, password: unknown = "long enough", path = "/api/register/invite/") =>
  runtime.ask("POST", path + token, { as: null, body: { password } });
const enters = async (email: string, password: string) =>
  (await runtime.ask("POST", "/api/session", { as: null, body: { email, password } })).status;

/** The last message, its soft line breaks joined. */
function lastMessage() {
  const { to, text } = smtp.messages.at(-1) ?? { to: [], text: "" };
  const joined = text.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return { to, text: joined, token: /http:\/\/localhost\/[a-z/]+\/([A-Za-z0-9]{24})/.exec(joined)?.[1] ?? "" };
}

async function run(...args: string[]): Promise<{ code: number | undefined; out: string[]; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io: CommandIo = {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    env: {},
    columns: 80,
    tty: false,
  };
  const plugin = runtime.runtime.booted.find(({ plugin: { name } }) => name === "users")?.plugin;
  const code = await plugin?.commands.user?.run(args, io, runtime.contexts.get("users"));
  return { code, out, err: err.join("\n") };
}

test("an invitation arrives by mail and lets its reader choose a password, once", async () => {
  const id = await invited("ina@example.com", "Ina <b>");
  await runtime.runtime.jobs.drain();
  const { to, text, token } = lastMessage();
  expect(to).toEqual(["ina@example.com"]);
  expect(text).toContain("From: Wiki <wiki@example.com>");
  expect(text).toContain("Hello Ina <b>,");
  expect(text).toContain("Hello Ina &lt;b&gt;,");
  await runtime.store.sql`update users set email_confirmed = false where id = ${id}`;
  expect((await accept(token, "short")).status).toBe(422);
  expect((await accept(token, 12345678)).status).toBe(422);
  const accepted = await accept(token);
  expect([accepted.status, accepted.body.id, accepted.body.email]).toEqual([200, id, "ina@example.com"]);
  expect(await enters("ina@example.com", "long enough")).toBe(200);
  const [row] = await runtime.store.sql`select email_confirmed from users where id = ${id}`;
  expect(row?.email_confirmed).toBe(true);
  expect((await accept(token, "another one")).body).toEqual(GONE);
});

test("of two who accept at the same moment, one succeeds", async () => {
  await invited("two@example.com");
  await runtime.runtime.jobs.drain();
  const { token } = lastMessage();
  const answers = await Promise.all([accept(token, "password one"), accept(token, "password two")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
});

test("a mail server that is away delays an invitation and loses none", async () => {
  const before = smtp.messages.length;
  smtp.refuse(2);
  await invited("late@example.com");
  for (let turn = 0; turn < 3; turn++) {
    await runtime.store.sql`update jobs set run_at = now(), leased_until = null where not dead`;
    await runtime.runtime.jobs.drain();
  }
  expect(smtp.messages.length).toBe(before + 1);
  expect(lastMessage().to).toEqual(["late@example.com"]);
  expect((await accept(lastMessage().token)).status).toBe(200);
});

test("no job and no row holds what a link needs", async () => {
  await invited("quiet@example.com");
  const [job] = await runtime.store.sql`select payload from jobs where name = 'user_invite'`;
  expect(Object.keys(job?.payload)).toEqual(["user_id"]);
  await runtime.runtime.jobs.drain();
  const [row] = await runtime.store.sql`select hash from user_invites join users on users.id = user_id
    where email = 'quiet@example.com'`;
  expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(row?.hash).not.toContain(lastMessage().token);
});

test("an invitation ends with its time, with a password, another address, and its user", async () => {
  const ended = async (email: string, end: (id: number) => Promise<unknown>) => {
    const id = await invited(email);
    await runtime.runtime.jobs.drain();
    const { token } = lastMessage();
    await end(id);
    return (await accept(token)).body;
  };
  const put = (id: number, body: unknown) => runtime.ask("PUT", `/api/users/${id}`, { body });
  const { sql } = runtime.store;
  expect(
    await ended("e1@example.com", (id) => sql`update user_invites set expires_at = now() where user_id = ${id}`),
  ).toEqual(GONE);
  expect(await ended("e2@example.com", (id) => put(id, { password: "set by an admin" }))).toEqual(GONE);
  expect(await ended("e3@example.com", (id) => put(id, { email: "e3b@example.com" }))).toEqual(GONE);
  expect(await ended("e4@example.com", (id) => runtime.ask("DELETE", `/api/users/${id}`))).toEqual(GONE);
  expect(await ended("e5@example.com", (id) => put(id, { name: "Other" }))).toMatchObject({ email: "e5@example.com" });
  for (const token of ["", "x", "%00", "a".repeat(24), "b".repeat(5000)])
    expect([token.length, (await accept(token)).status]).toEqual([token.length, 404]);
});

test("who runs the server lists open invitations and passes on a new link", async () => {
  await invited("pass@example.com", "Pascal");
  expect((await run("invites")).out.join("\n")).toMatch(/pass@example\.com {2,}Pascal {2}until \d{4}-/);
  const { code, out } = await run("invite", "--email", "PASS@example.com");
  const token = out.at(-1)?.replace("http://localhost/register/invite/", "") ?? "";
  expect([code, token]).toEqual([0, expect.stringMatching(/^[A-Za-z0-9]{24}$/)]);
  expect((await accept(token)).status).toBe(200);
  expect((await run("invites")).out.join("\n")).not.toContain("pass@example.com");
  expect((await run("invite", "--email", "nobody@example.com")).code).toBe(1);
});

test("a forgotten password is reset by mail, and the answer does not reveal which accounts exist", async () => {
  await runtime.ask("POST", "/api/users", {
    body: { name: "Fred", email: "fred@example.com", password: "the old password" },
  });
  const wish = (email: string) => runtime.ask("POST", "/api/password/email", { as: null, body: { email } });
  const before = smtp.messages.length;
  const [known, unknown] = [await wish("fred@example.com"), await wish("nobody@example.com")];
  expect([known.status, known.body]).toEqual([202, unknown.body]);
  await runtime.runtime.jobs.drain();
  expect(smtp.messages.length).toBe(before + 1);
  expect((await accept(lastMessage().token, "the new password", "/api/register/invite/")).status).toBe(404);
  expect((await accept(lastMessage().token, "the new password", "/api/password/reset/")).status).toBe(200);
  expect(await enters("fred@example.com", "the old password")).toBe(401);
  expect(await enters("fred@example.com", "the new password")).toBe(200);
  expect((await wish("no address")).status).toBe(422);
  for (let turn = 0; turn < 2; turn++) await wish("fred@example.com");
  expect((await wish("fred@example.com")).status).toBe(429);
});

test("links cannot be tried without end", async () => {
  await runtime.store.sql`delete from throttles`;
  const statuses: number[] = [];
  for (let turn = 0; turn < 21; turn++) statuses.push((await accept("c".repeat(24))).status);
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(404));
  expect(statuses[20]).toBe(429);
  await runtime.store.sql`delete from throttles`;
});

test("where no mail is sent, invitations stay open for the command, and forgotten passwords are for administrators", async () => {
  const silent = await bootTestRuntime();
  try {
    const made = await silent.ask("POST", "/api/users", {
      body: { name: "Una", email: "una@example.com", send_invite: "1" },
    });
    await silent.runtime.jobs.drain();
    const [open] = await silent.store.sql`select user_id from user_invites`;
    expect(open?.user_id).toBe(made.body.id);
    const [left] = await silent.store.sql`select count(*)::integer as n from jobs`;
    expect(left?.n).toBe(0);
    const wish = await silent.ask("POST", "/api/password/email", { as: null, body: { email: "una@example.com" } });
    expect([wish.status, wish.body.error.message]).toEqual([409, expect.stringContaining("sends no mail")]);
  } finally {
    await silent.stop();
  }
});
