/** Many wrong passwords at once: who waits for them, and what they are answered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PASSWORD = "long enough";
const ATTACKER = "192.0.2.66";
/** Some 30 ms of a core each, so that those who wait for them are seen to. */
const COST = { algorithm: "argon2id", memoryCost: 16_384, timeCost: 2 } as const;

let runtime: TestRuntime;
let slow: string;
beforeAll(async () => {
  const env = { SIGN_IN_ATTEMPTS: "1000", SIGN_IN_ATTEMPTS_BY_ACCOUNT: "1000", SIGN_IN_ATTEMPTS_BY_ADDRESS: "1000" };
  runtime = await bootTestRuntime({ env: { ...env, API_REQUESTS_PER_MIN: "100000" } });
  slow = await Bun.password.hash(PASSWORD, COST);
});
afterAll(() => runtime.stop());

/** The e-mail address of a user whose password takes a while to compare. */
async function person(name: string): Promise<string> {
  const { id } = await runtime.person(name, ["access-api"]);
  await runtime.store.sql`update users set password = ${slow} where id = ${id}`;
  const [row] = await runtime.store.sql`select email from users where id = ${id}`;
  return row?.email;
}

async function knock(address: string, email: string, password: string): Promise<Response> {
  const request = new Request("http://localhost/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return runtime.runtime.http.handle(request, address);
}

/** Sends wrong passwords, then what `run` does; the statuses they had been answered by its end, and in all. */
async function besides<R>(wrong: readonly (readonly [address: string, email: string])[], run: () => Promise<R>) {
  const answered: number[] = [];
  const all = wrong.map(async ([address, email]) => {
    const { status } = await knock(address, email, "wrong password");
    answered.push(status);
  });
  const result = await run();
  const before = answered.filter((status) => status === 401).length;
  await Promise.all(all);
  return { result, before, answered };
}

test("an address that sends many wrong passwords delays nobody who signs in from another", async () => {
  const [mallory, ann] = [await person("mallory"), await person("ann")];
  const wrong = Array.from({ length: 30 }, () => [ATTACKER, mallory] as const);
  const { result, before, answered } = await besides(wrong, () => knock("192.0.2.1", ann, PASSWORD));
  expect(result.status).toBe(200);
  expect(before).toBeLessThan(15);
  expect(answered).toEqual(Array(30).fill(401));
});

test("an account that many addresses try delays nobody who signs in to another", async () => {
  const [target, ben] = [await person("target"), await person("ben")];
  const wrong = Array.from({ length: 30 }, (_, at) => [`198.51.100.${at}`, target] as const);
  const { result, before } = await besides(wrong, () => knock("192.0.2.2", ben, PASSWORD));
  expect([result.status, before < 15]).toEqual([200, true]);
});

test("addresses of one IPv6 network are one address", async () => {
  await runtime.store.sql`insert into users (name, email, slug, system_name, password)
    select 'Six', 'six-' || n || '@example.com', 'six-' || n, '', ${slow} from generate_series(0, 29) as n`;
  const eve = await person("eve");
  const wrong = Array.from({ length: 30 }, (_, at) => [`2001:db8::${at + 1}`, `six-${at}@example.com`] as const);
  const { result, before } = await besides(wrong, () => knock("2001:db8:1::1", eve, PASSWORD));
  expect([result.status, before < 15]).toEqual([200, true]);
});

test("what is beyond the queue is refused in the shape of every error, and passwords are compared again after it", async () => {
  const [crowded, cay] = [await person("crowded"), await person("cay")];
  const answers = await Promise.all(Array.from({ length: 58 }, () => knock(ATTACKER, crowded, "wrong password")));
  const refused = answers.filter(({ status }) => status === 503);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
  expect(await refused[0]?.json()).toEqual({
    error: { message: "Too many passwords are being checked; try again in a moment.", code: 503 },
  });
  expect(refused[0]?.headers.get("retry-after")).toBe("10");
  expect((await knock(ATTACKER, cay, PASSWORD)).status).toBe(200);
});

test("a file of a page is answered before the passwords that were sent earlier", async () => {
  const dan = await person("dan");
  const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "Files" } });
  const page = await runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name: "Page", html: "<p>a</p>" } });
  const parts = new FormData();
  parts.set("name", "notes");
  parts.set("uploaded_to", String(page.body.id));
  parts.set("file", new File(["x".repeat(200_000)], "notes.txt"));
  const attached = await runtime.ask("POST", "/api/attachments", { parts });
  const headers = { authorization: `Token ${runtime.token}` };
  const wrong = Array.from({ length: 30 }, (_, at) => [`203.0.113.${at}`, dan] as const);
  const { result, before } = await besides(wrong, async () => {
    const file = await runtime.runtime.http.handle(
      new Request(`http://localhost/attachments/${attached.body.id}`, { headers }),
      "192.0.2.3",
    );
    return [file.status, (await file.text()).length];
  });
  expect(result).toEqual([200, 200_000]);
  expect(before).toBeLessThan(15);
});
