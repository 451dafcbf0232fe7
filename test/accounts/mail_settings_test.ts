/** Mail that an administrator sets up while the server runs: the next message goes to the new server, and the password is shown nowhere. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { fakeSmtp } from "../support/fakes/smtp.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);

const PASSWORD = "hunter2 of the mail server";
/** What a plugin learns of events. */
const events: string[] = [];
const spy = definePlugin({
  name: "spy",
  setup({ on }) {
    on.any({
      inTransaction(record) {
        events.push(JSON.stringify(record, (_key, value: unknown) => (value instanceof Set ? [...value] : value)));
      },
    });
  },
});
const [first, second] = [fakeSmtp(), fakeSmtp()];
let one: TestRuntime;
let two: TestRuntime;
beforeAll(async () => {
  one = await bootTestRuntime({ extra: [spy] });
  two = await bootTestRuntime({ beside: one });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
  first.stop();
  second.stop();
});

const set = (body: object) => one.ask("PUT", "/api/settings", { body });
const tried = (at: TestRuntime) => at.ask("POST", "/api/mail/test", { body: { to: "ada@example.com" } });

test("without a server nothing is sent, and the answer says so", async () => {
  const { status, body } = await tried(one);
  expect([status, body.error.message]).toEqual([422, "No mail server and sender are set up"]);
});

test("a message goes to the server that is set at that time, from this server and from another", async () => {
  const sent = await set({ mail_host: "127.0.0.1", mail_port: first.port, mail_from: "Wiki <wiki@example.com>" });
  expect(sent.status).toBe(200);
  expect((await tried(one)).status).toBe(200);
  expect(
    (
      await until(
        () => tried(two),
        ({ status }) => status === 200,
      )
    ).body,
  ).toEqual({ accepted: true });
  expect(first.messages.flatMap(({ to }) => to)).toEqual(["ada@example.com", "ada@example.com"]);
  await set({ mail_port: second.port });
  await tried(one);
  expect([first.messages.length, second.messages.length]).toEqual([2, 1]);
  second.unknown.add("ada@example.com");
  const refused = await tried(one);
  expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("550")]);
});

test("messages to people without a language are in the one that administrators have chosen since the start", async () => {
  await set({ app_lang: "de" });
  await one.ask("POST", "/api/users", { body: { name: "Ina", email: "ina@example.com", send_invite: true } });
  const sent = () => second.messages.find(({ to }) => to.includes("ina@example.com"));
  await one.runtime.jobs.drain();
  expect((await until(async () => sent(), Boolean))?.text).toContain("Guten Tag Ina");
  // Whether there is a mail server is asked anew, too.
  const body = { email: "new@example.com", current_password: "wrong" };
  expect((await one.ask("POST", "/api/users/me/email", { body })).status).toBe(422);
  await set({ app_lang: null });
});

test("the password is stored, and in no answer, event, row of the audit log or screen", async () => {
  const { body } = await set({ mail_password: PASSWORD });
  const shown = body.data.find(({ name }: { name: string }) => name === "mail_password");
  expect(shown).toEqual({
    ...{ name: "mail_password", group: "mail", value: null, default: "" },
    ...{ is_set: true, is_secret: true, locked_by: null },
  });
  const { headers } = await one.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const screen = await one.ask("GET", "/settings/mail", { as: null, headers: { cookie, accept: "text/html" } });
  const log = await one.ask("GET", "/api/audit-log?filter[type]=settings_update");
  const logged = JSON.stringify(log.body);
  expect(logged).toContain("mail_password");
  for (const text of [JSON.stringify(body), screen.body, logged, ...events]) expect(text).not.toContain(PASSWORD);
  expect(events.join()).toContain("mail_password");
  // An empty field keeps it; the box removes it.
  const form = { mail_host: "127.0.0.1", mail_port: "25", mail_from: "wiki@example.com", mail_password: "" };
  const post = (fields: Record<string, string>) =>
    one.ask("POST", "/settings/mail", { as: null, form: fields, headers: { cookie, "sec-fetch-site": "same-origin" } });
  const isSet = async () =>
    (await one.ask("GET", "/api/settings")).body.data.find(({ name }: { name: string }) => name === "mail_password")
      .is_set;
  expect((await post(form)).status).toBe(303);
  expect(await isSet()).toBe(true);
  expect((await post({ ...form, mail_password_remove: "true" })).status).toBe(303);
  expect(await isSet()).toBe(false);
});
