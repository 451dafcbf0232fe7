/** Common passwords: refused on screens and links, and over the API where the operator wants it. */
import { afterAll, expect, test } from "bun:test";
import type { CommandIo } from "lectern/cli";
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const COMMON = "Password123";
const GOOD = "a quiet horse";
const REFUSED = "This password is among those that are used most; choose another one.";
const INVALID = { error: { message: "The given data was invalid.", validation: { password: [REFUSED] }, code: 422 } };

const runtimes: TestRuntime[] = [];
afterAll(async () => {
  for (const runtime of runtimes) await runtime.stop();
});

async function checked(check?: string): Promise<TestRuntime> {
  const runtime = await bootTestRuntime({ env: check === undefined ? {} : { PASSWORD_CHECK: check } });
  runtimes.push(runtime);
  return runtime;
}

const signIn = async (runtime: TestRuntime, email: string, password: string) => {
  const { status, headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return { status, cookie: headers.get("set-cookie")?.split(";")[0] ?? "" };
};

const submit = (runtime: TestRuntime, path: string, form: Record<string, string>, cookie = "") =>
  runtime.ask("POST", path, {
    as: null,
    form,
    headers: { cookie, accept: "text/html", "sec-fetch-site": "same-origin" },
  });

/** The secret of a new link of an invitation. */
async function invitation(runtime: TestRuntime, email: string): Promise<string> {
  const [code, out] = await run(runtime, "invite", "--email", email);
  expect(code).toBe(0);
  return /\/register\/invite\/(\w+)/.exec(out)?.[1] ?? "";
}

async function run(runtime: TestRuntime, ...args: string[]): Promise<[number | undefined, string]> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const io: CommandIo = { out: say, err: say, env: {}, columns: 80, tty: false };
  const plugin = runtime.runtime.booted.find(({ plugin: { name } }) => name === "users")?.plugin;
  const code = await plugin?.commands.user?.run(args, io, runtime.contexts.get("users"));
  return [code, said.join("\n")];
}

test("who chooses one on a screen or by a link is asked for another, clients of the API are not", async () => {
  const runtime = await checked();
  const { cookie } = await signIn(runtime, "admin@example.com", "correct horse battery");
  const ann = { name: "Ann", email: "ann@example.com" };
  const made = await submit(runtime, "/settings/users/create", { ...ann, password: COMMON }, cookie);
  expect([made.status, made.body.includes(REFUSED)]).toEqual([422, true]);
  expect((await submit(runtime, "/settings/users/create", { ...ann, password: GOOD }, cookie)).status).toBe(303);
  const { body } = await runtime.ask("GET", "/api/users?filter[email]=ann@example.com");
  const { id } = body.data[0];
  const changed = await submit(runtime, `/settings/users/${id}`, { ...ann, password: COMMON }, cookie);
  expect([changed.status, changed.body.includes(REFUSED)]).toEqual([422, true]);
  expect((await signIn(runtime, ann.email, GOOD)).status).toBe(200);

  // Users change their own.
  const own = await submit(
    runtime,
    "/my-account/auth",
    { current_password: "correct horse battery", password: COMMON, repeated: COMMON },
    cookie,
  );
  expect([own.status, own.body.includes(REFUSED)]).toEqual([422, true]);

  // By a link, on its screen or without; the link stays for a better choice.
  const secret = await invitation(runtime, ann.email);
  const answered = await runtime.ask("POST", `/api/register/invite/${secret}`, {
    as: null,
    body: { password: COMMON },
  });
  expect([answered.status, answered.body]).toEqual([422, INVALID]);
  const shown = await submit(runtime, `/register/invite/${secret}`, { password: COMMON });
  expect([shown.status, shown.body.includes(REFUSED)]).toEqual([422, true]);
  expect((await submit(runtime, `/register/invite/${secret}`, { password: "another horse" })).status).toBe(303);
  expect((await signIn(runtime, ann.email, "another horse")).status).toBe(200);

  // The API accepts them as before.
  expect((await runtime.ask("PUT", `/api/users/${id}`, { body: { password: COMMON } })).status).toBe(200);
  expect((await signIn(runtime, ann.email, COMMON)).status).toBe(200);
  const bob = { name: "Bob", email: "bob@example.com", password: COMMON };
  expect((await runtime.ask("POST", "/api/users", { body: bob })).status).toBe(200);
  expect((await run(runtime, "password", "--email", bob.email, "--password", COMMON))[0]).toBe(0);
});

test("by API and commands as well where the operator wants it", async () => {
  const runtime = await checked("all");
  const ann = { name: "Ann", email: "ann@example.com" };
  const made = await runtime.ask("POST", "/api/users", { body: { ...ann, password: COMMON } });
  expect([made.status, made.body]).toEqual([422, INVALID]);
  const { body } = await runtime.ask("POST", "/api/users", { body: { ...ann, password: GOOD } });
  expect((await runtime.ask("PUT", `/api/users/${body.id}`, { body: { password: COMMON } })).body).toEqual(INVALID);
  expect((await runtime.ask("PUT", `/api/users/${body.id}`, { body: { password: "" } })).status).toBe(200);
  const own = { current_password: "correct horse battery", password: COMMON };
  expect((await runtime.ask("PUT", "/api/users/me", { body: own })).body).toEqual(INVALID);
  const [code, said] = await run(runtime, "password", "--email", ann.email, "--password", COMMON);
  expect([code, said]).toEqual([1, expect.stringContaining(REFUSED)]);
});

test("nowhere where nobody wants it", async () => {
  const runtime = await checked("none");
  await runtime.ask("POST", "/api/users", { body: { name: "Ann", email: "ann@example.com" } });
  const secret = await invitation(runtime, "ann@example.com");
  expect((await submit(runtime, `/register/invite/${secret}`, { password: COMMON })).status).toBe(303);
});

test("the first start refuses one for the administrator, later starts read it no more", async () => {
  for (const password of ["admin", "12345678"])
    await expect(bootTestRuntime({ env: { ADMIN_PASSWORD: password }, only: FEW })).rejects.toThrow(
      "ADMIN_PASSWORD is one of the 10,000 most",
    );
  const first = await checked();
  const second = await bootTestRuntime({ env: { ADMIN_PASSWORD: "12345678" }, beside: first });
  await second.stop();
});
