/** What a password may be, as the API and the screens accept it, and the name of the session cookie that browsers protect. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);
let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

let users = 0;
/** The status of giving a new user a password. */
async function given(password: string): Promise<{ status: number; email: string }> {
  users += 1;
  const email = `rule-${users}@example.com`;
  const { status } = await runtime.ask("POST", "/api/users", { body: { name: "Rule", email, password } });
  return { status, email };
}

const signIn = async (email: string, password: string) =>
  (await runtime.ask("POST", "/api/session", { as: null, body: { email, password } })).status;

test("a password has at least 8 characters, of any kind, and may be long", async () => {
  expect((await given("seven77")).status).toBe(422);
  for (const password of [
    "eight888",
    "        8",
    "ääääääää",
    "日本語日本語日本",
    "🔑🔑🔑🔑🔑🔑🔑🔑",
    "a".repeat(200),
  ]) {
    const { status, email } = await given(password);
    expect([password, status]).toEqual([password, 200]);
    expect([password, await signIn(email, password)]).toEqual([password, 200]);
  }
});

test("a password is compared as it was typed: case, blanks and every character count", async () => {
  const password = ` Mixed Case and blanks ${"x".repeat(80)}1`;
  const { email } = await given(password);
  expect(await signIn(email, password)).toBe(200);
  for (const other of [password.trim(), password.toLowerCase(), password.slice(0, -1), password.slice(0, 72)])
    expect(await signIn(email, other)).toBe(401);
});

test("fields of passwords hide what is typed, and password managers may fill them in", async () => {
  const { body } = await runtime.ask("GET", "/login", { as: null, headers: { accept: "text/html" } });
  const [field = ""] = /<input[^>]* name="password"[^>]*>/.exec(body) ?? [];
  expect(field).toContain('type="password"');
  expect(field).toContain('autocomplete="current-password"');
  expect(body).not.toMatch(/onpaste|readonly/);
});

test("the cookie may have a name that browsers accept from its own host over TLS alone", async () => {
  const env = { APP_URL: "https://wiki.example.com", SESSION_COOKIE_NAME: "__Host-session" };
  const other = await bootTestRuntime({ env });
  try {
    const body = { email: "admin@example.com", password: "correct horse battery" };
    const { headers } = await other.ask("POST", "/api/session", { as: null, body });
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-session=[A-Za-z0-9]{40}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  } finally {
    await other.stop();
  }
});
