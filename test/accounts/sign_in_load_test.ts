/** Many wrong passwords at once: who waits for them, and what they are answered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const PASSWORD = "long enough";
const ATTACKER = "192.0.2.66";
/** Half a second of a core, within which everybody else has to be answered. */
const COST = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 10 } as const;
const QUICK = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

let runtime: TestRuntime;
let slow: string;
beforeAll(async () => {
  const env = { SIGN_IN_ATTEMPTS: "1000", SIGN_IN_ATTEMPTS_BY_ACCOUNT: "1000", SIGN_IN_ATTEMPTS_BY_ADDRESS: "1000" };
  runtime = await bootTestRuntime({ env: { ...env, API_REQUESTS_PER_MIN: "100000" } });
  slow = await Bun.password.hash(PASSWORD, COST);
});
afterAll(() => runtime.stop());

/** The e-mail address of a user whose password takes a while to compare. */
const person = (name: string): Promise<string> => personWith(name, slow);
/** Of one whose password takes less than a millisecond. */
const quickPerson = async (name: string): Promise<string> => personWith(name, await Bun.password.hash(PASSWORD, QUICK));

async function personWith(name: string, hash: string): Promise<string> {
  const { id } = await runtime.person(name, ["access-api"]);
  await runtime.store.sql`update users set password = ${hash} where id = ${id}`;
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

type Attempt = readonly [address: string, email: string];

const attempts = async (): Promise<number> => {
  const [found] = await runtime.store.sql`select coalesce(sum(count), 0)::integer as n from throttles`;
  return found?.n ?? 0;
};

/** Sends wrong passwords, and runs something once they are about to be compared; how many were answered by its end, and how all were. */
async function besides<R>(wrong: readonly Attempt[], run: () => Promise<R>) {
  const counted = await attempts();
  const answered: number[] = [];
  const all = wrong.map(async ([address, email]) => {
    const { status } = await knock(address, email, "wrong password");
    answered.push(status);
  });
  // Each is counted by address, by account, and by both.
  await until(async () => (await attempts()) === counted + 3 * wrong.length);
  const result = await run();
  const before = answered.length;
  await Promise.all(all);
  return { result, before, answered };
}

test("an address that sends several wrong passwords delays nobody who signs in from another", async () => {
  const [mallory, trudy, ann] = [await person("mallory"), await person("trudy"), await quickPerson("ann")];
  const wrong: Attempt[] = [mallory, trudy].map((email) => [ATTACKER, email]);
  const { result, before, answered } = await besides(wrong, () => knock("192.0.2.1", ann, PASSWORD));
  expect([result.status, before, answered]).toEqual([200, 0, [401, 401]]);
});

test("an account that several addresses try delays nobody who signs in to another", async () => {
  const [target, ben] = [await person("target"), await quickPerson("ben")];
  const wrong: Attempt[] = ["198.51.100.1", "198.51.100.2"].map((address) => [address, target]);
  const { result, before } = await besides(wrong, () => knock("192.0.2.2", ben, PASSWORD));
  expect([result.status, before]).toEqual([200, 0]);
});

test("addresses of one IPv6 network are one address", async () => {
  const [six, seven, eve] = [await person("six"), await person("seven"), await quickPerson("eve")];
  const wrong: Attempt[] = [
    ["2001:db8::1", six],
    ["2001:db8::2", seven],
  ];
  const { result, before } = await besides(wrong, () => knock("2001:db8:1::1", eve, PASSWORD));
  expect([result.status, before]).toEqual([200, 0]);
});

test("files are answered while as many passwords are compared as can be", async () => {
  const [dan, gil] = [await person("dan"), await person("gil")];
  const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "Files" } });
  const page = await runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name: "Page", html: "<p>a</p>" } });
  const parts = new FormData();
  parts.set("name", "notes");
  parts.set("uploaded_to", String(page.body.id));
  parts.set("file", new File(["x".repeat(200_000)], "notes.txt"));
  const attached = await runtime.ask("POST", "/api/attachments", { parts });
  const headers = { authorization: `Token ${runtime.token}` };
  const wrong: Attempt[] = [
    ["203.0.113.1", dan],
    ["203.0.113.2", gil],
  ];
  const { result, before } = await besides(wrong, async () => {
    const asked = new Request(`http://localhost/attachments/${attached.body.id}`, { headers });
    return (await (await runtime.runtime.http.handle(asked, "192.0.2.3")).text()).length;
  });
  expect([result, before]).toEqual([200_000, 0]);
});

test("what is beyond the queue is refused in the shape of every error, and passwords are compared again after it", async () => {
  const [crowded, cay] = [await person("crowded"), await quickPerson("cay")];
  const wrong: Attempt[] = [[ATTACKER, crowded]];
  // The address has one thread; the passwords that it sends meanwhile wait for that.
  const { result } = await besides(wrong, () =>
    Promise.all(Array.from({ length: 40 }, (_, at) => knock(ATTACKER, `nobody${at}@example.com`, "wrong password"))),
  );
  const refused = result.filter(({ status }) => status === 503);
  expect([refused.length, result.filter(({ status }) => status === 401).length]).toEqual([8, 32]);
  expect(await refused[0]?.json()).toEqual({
    error: { message: "Too many passwords are being checked; try again in a moment.", code: 503 },
  });
  expect(refused[0]?.headers.get("retry-after")).toBe("10");
  expect((await knock(ATTACKER, cay, PASSWORD)).status).toBe(200);
});
