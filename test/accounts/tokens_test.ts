import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CommandIo } from "lectern/cli";
import { createLog } from "../../core/log.ts";
import { tokensUsed } from "../../plugins/accounts/tokens/last_used.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

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
  const plugin = runtime.runtime.booted.find(({ plugin: { name } }) => name === "tokens")?.plugin;
  const code = await plugin?.commands.token?.run(args, io, runtime.contexts.get("tokens"));
  return { code, out, err: err.join("\n") };
}

const enters = async (token: string) => (await runtime.ask("GET", "/api/users?count=1", { as: token })).status;

test("a token is printed once, as the last line, and works at once", async () => {
  const { code, out } = await run("create", "--user", "ADMIN@example.com", "--name", "Laptop");
  const token = out.at(-1) ?? "";
  expect([code, token]).toEqual([0, expect.stringMatching(/^[A-Za-z0-9]{32}:[A-Za-z0-9]{32}$/)]);
  expect(await enters(token)).toBe(200);
  const [row] = await runtime.store
    .sql`select secret_hash, expires_at::text as ends from api_tokens where token_id = ${token.split(":")[0] ?? ""}`;
  expect(row?.secret_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(row?.ends).toBe(`${new Date().getUTCFullYear() + 100}${new Date().toISOString().slice(4, 10)}`);
  expect((await run("list")).out.join("\n")).not.toContain(token.split(":")[1] ?? "");
});

test("a token by command may be narrower than its owner", async () => {
  const { out } = await run(
    "create",
    "--user",
    "admin@example.com",
    "--read-only",
    "--permissions",
    "book-view-all, page-view-all",
  );
  const token = out.at(-1) ?? "";
  expect((await runtime.ask("GET", "/api/books", { as: token })).status).toBe(200);
  expect((await runtime.ask("GET", "/api/users", { as: token })).status).toBe(403);
  expect((await runtime.ask("POST", "/api/books", { as: token, body: { name: "x" } })).status).toBe(403);
  expect((await run("list")).out.join("\n")).toContain("read-only  only book-view-all,page-view-all");
  expect((await run("create", "--user", "admin@example.com", "--permissions", "book-fly-all")).code).toBe(1);
});

test("a revoked token ends at once", async () => {
  const token = (await run("create", "--user", "admin@example.com")).out.at(-1) ?? "";
  expect(await enters(token)).toBe(200);
  expect((await run("revoke", token.split(":")[0] ?? "")).code).toBe(0);
  expect(await enters(token)).toBe(401);
  expect((await run("revoke", token.split(":")[0] ?? "")).code).toBe(1);
});

test("a token ends when its day begins", async () => {
  const day = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10);
  const made = async (expires: string) =>
    (await run("create", "--user", "admin@example.com", "--expires", expires)).out.at(-1) ?? "";
  expect(await enters(await made(day(0)))).toBe(403);
  expect(await enters(await made(day(1)))).toBe(200);
});

test("what cannot be done is said in a sentence", async () => {
  const cases: readonly [string[], number, string][] = [
    [["create"], 1, "wanted --user with an e-mail address"],
    [["create", "--user", "nobody@example.com"], 1, 'there is no user "nobody@example.com"'],
    [["create", "--user", "admin@example.com", "--expires", "2031-02-30"], 1, "YYYY-MM-DD"],
    [["create", "--user", "admin@example.com", "--name", ""], 1, "1 to 250"],
    [["create", "--nonsense"], 1, "nonsense"],
    [["dance"], 2, "create --user EMAIL"],
  ];
  for (const [args, code, text] of cases) {
    const answer = await run(...args);
    expect([args, answer.code]).toEqual([args, code]);
    expect(answer.err).toContain(text);
  }
});

test("a bcrypt hash is accepted once and then replaced", async () => {
  const token = (await run("create", "--user", "admin@example.com")).out.at(-1) ?? "";
  const [tokenId = "", secret = ""] = token.split(":");
  const bcrypt = (await Bun.password.hash(secret, { algorithm: "bcrypt", cost: 4 })).replace("$2b$", "$2y$");
  await runtime.store.sql`update api_tokens set secret_hash = ${bcrypt} where token_id = ${tokenId}`;
  expect(await enters(`${tokenId}:wrong`)).toBe(401);
  expect(await enters(token)).toBe(200);
  const [row] = await runtime.store.sql`select secret_hash from api_tokens where token_id = ${tokenId}`;
  expect(row?.secret_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await enters(token)).toBe(200);
  expect(await enters(`${tokenId}:wrong`)).toBe(401);
});

test("a recognised request asks the store nothing about who asks", async () => {
  expect(await enters(runtime.token)).toBe(200);
  await runtime.store.sql`alter table api_tokens rename to api_tokens_away`;
  try {
    expect((await runtime.ask("GET", "/api/roles?count=1")).status).toBe(200);
  } finally {
    await runtime.store.sql`alter table api_tokens_away rename to api_tokens`;
  }
});

test("when tokens were last used is written in one go, at the latest at the stop", async () => {
  const used = async () =>
    (
      await runtime.store
        .sql`select last_used_at > now() - interval '1 minute' as recently from api_tokens where id = 1`
    )[0]?.recently;
  await runtime.store.sql`update api_tokens set last_used_at = null`;
  const uses = tokensUsed(runtime.db, createLog("silent"));
  uses.note("used", 1);
  uses.note("used", 99999);
  expect(await used()).toBeNull();
  await uses.flush();
  expect(await used()).toBe(true);
});

test("uses that cannot be written are no trouble for anybody", async () => {
  const lines: string[] = [];
  const uses = tokensUsed(
    undefined as never,
    createLog("warn", (line) => void lines.push(line)),
  );
  uses.note("used", 1);
  await uses.flush();
  expect(lines.join()).toContain("Cannot write when tokens were last used");
});

test("ADMIN_TOKEN is a token of the first administrator, by name", async () => {
  expect((await run("list")).out[0]).toMatch(/^ {5}1 {2}adminid {2}Admin {2}ADMIN_TOKEN {2}ends \d{4}-/);
});
