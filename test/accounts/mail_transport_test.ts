/** Mail by the HTTP API of a made-up provider: a plugin as a stranger would write it, over a server that refuses on demand. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { MailRejected } from "lectern/contracts";
import { definePlugin, t } from "lectern/core";
import { fakeSmtp } from "../support/fakes/smtp.ts";
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** The provider: what it received, and how it answers next. */
const provider = { sent: [] as Record<string, string>[], tries: 0, status: 200, hangs: false };
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    provider.tries += 1;
    if (provider.hangs) await new Promise(() => {});
    const accepted = provider.status === 200 && request.headers.get("x-key") === "secret";
    if (accepted) provider.sent.push((await request.json()) as Record<string, string>);
    return new Response("", { status: provider.status });
  },
});

const pigeon = definePlugin({
  name: "pigeon",
  grants: { net: ["localhost"] },
  settings: t.Object({ key: t.String({ default: "secret", env: "PIGEON_KEY", description: "Key of the API" }) }),
  setup({ contribute, fetch, settings }) {
    contribute("mail_transport", {
      name: "pigeon",
      async send(message, { signal }) {
        const response = await fetch(`http://localhost:${server.port}/send`, {
          method: "POST",
          headers: { "x-key": settings.key },
          body: JSON.stringify(message),
          signal,
        });
        if (response.status === 422) throw new MailRejected("Pigeon does not know the address");
        if (!response.ok) throw new Error(`Pigeon answered ${response.status}`);
      },
    });
  },
});

const ENV = { MAIL_FROM: "Wiki <wiki@example.com>", ALLOW_PRIVATE_HOSTS: "127.0.0.0/8,::1/128" };
const constants = { mail: { timeout: 1 } };
let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [pigeon], only: FEW, env: ENV, constants });
}, 120_000);
afterAll(async () => {
  await runtime.stop();
  await server.stop(true);
});
beforeEach(() => Object.assign(provider, { sent: [], tries: 0, status: 200, hangs: false }));

const invite = (email: string) =>
  runtime.ask("POST", "/api/users", { body: { name: "Ina", email, send_invite: true } });
const jobOf = async () =>
  (await runtime.store.sql`select attempts, dead, last_error from jobs order by id desc limit 1`)[0];

test("the only transport delivers text and HTML from the configured sender, to one recipient", async () => {
  await invite("ina@example.com");
  await runtime.runtime.jobs.drain();
  expect(provider.sent).toEqual([
    {
      from: "Wiki <wiki@example.com>",
      to: "ina@example.com",
      subject: "You have been invited to Lectern",
      text: expect.stringContaining("Hello Ina,"),
      html: expect.stringContaining("<p>Hello Ina,</p>"),
    },
  ]);
  const forgot = await runtime.ask("POST", "/api/password/email", { as: null, body: { email: "ina@example.com" } });
  await runtime.runtime.jobs.drain();
  expect([forgot.status, provider.sent.at(-1)?.subject]).toEqual([202, "Choose a new password for Lectern"]);
});

test("what fails for now is tried again and lost by no restart", async () => {
  provider.status = 503;
  await invite("late@example.com");
  await runtime.runtime.jobs.drain();
  expect(await jobOf()).toEqual({ attempts: 1, dead: false, last_error: "Pigeon answered 503" });
  provider.status = 200;
  await runtime.store.sql`update jobs set run_at = now()`;
  await runtime.runtime.jobs.drain();
  expect([provider.sent.map(({ to }) => to), await jobOf()]).toEqual([["late@example.com"], undefined]);
});

test("what is rejected for good is not sent again and kept as a dead job with the reason, by a transport and by SMTP", async () => {
  const smtp = fakeSmtp();
  smtp.unknown.add("gone@example.com");
  const env = { ...ENV, MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port) };
  provider.status = 422;
  const failed = [];
  for (const MAIL_TRANSPORT of ["pigeon", "smtp"]) {
    const one = await bootTestRuntime({ extra: [pigeon], only: FEW, env: { ...env, MAIL_TRANSPORT } });
    await one.ask("POST", "/api/users", { body: { name: "Ina", email: "gone@example.com", send_invite: true } });
    await one.runtime.jobs.drain();
    failed.push(...(await one.store.sql`select attempts, dead, last_error from jobs where name = 'user_invite'`));
    await one.stop();
  }
  smtp.stop();
  expect(failed).toEqual([
    { attempts: 1, dead: true, last_error: "Pigeon does not know the address" },
    { attempts: 1, dead: true, last_error: expect.stringContaining("550") },
  ]);
  expect([provider.tries, smtp.messages]).toEqual([1, []]);
});

test("a transport that hangs is given up after its time, and tried again", async () => {
  provider.hangs = true;
  await invite("slow@example.com");
  await runtime.runtime.jobs.drain();
  expect(await jobOf()).toMatchObject({
    attempts: 1,
    dead: false,
    last_error: expect.stringContaining("took longer than 1 seconds"),
  });
  await runtime.store.sql`delete from jobs`;
});

test("several transports without a choice and a wrong choice stop the boot and say so; without a sender nothing is sent", async () => {
  const smtp = fakeSmtp();
  const host = { MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port) };
  const failing = async (env: Record<string, string>) =>
    bootTestRuntime({ extra: [pigeon], only: FEW, env: { ...ENV, ...env } }).then(
      () => "",
      (error: Error) => error.message,
    );
  try {
    expect(await failing(host)).toContain(
      'Each of "smtp" and "pigeon" is a mail transport: set MAIL_TRANSPORT to the one to use',
    );
    expect(await failing({ MAIL_TRANSPORT: "pidgeon" })).toContain('did you mean "pigeon"?');
    // What is missing may be set on the screen of the settings.
    for (const env of [{ MAIL_TRANSPORT: "smtp" }, { MAIL_FROM: "" }]) {
      const unset = await bootTestRuntime({ extra: [pigeon], only: FEW, env: { ...ENV, ...env } });
      const { body } = await unset.ask("POST", "/api/mail/test", { body: { to: "ada@example.com" } });
      expect(body.error.message).toBe("No mail server and sender are set up");
      await unset.stop();
    }
    const chosen = await bootTestRuntime({
      extra: [pigeon],
      only: FEW,
      env: { ...ENV, ...host, MAIL_TRANSPORT: "smtp" },
    });
    await chosen.ask("POST", "/api/users", { body: { name: "Ina", email: "smtp@example.com", send_invite: true } });
    await chosen.runtime.jobs.drain();
    await chosen.stop();
    expect([smtp.messages.map(({ to }) => to), provider.sent]).toEqual([[["smtp@example.com"]], []]);
  } finally {
    smtp.stop();
  }
});
