import { expect, test } from "bun:test";
import type { Users } from "lectern/contracts";
import { ApiError, sha256, type Viewer } from "lectern/core";
import { type AuthenticateParts, tokenResolver } from "./authenticate.ts";
import { type KnownToken, UNKNOWN } from "./token_cache.ts";

const ann: Viewer = {
  id: 5,
  name: "Ann",
  slug: "ann",
  roles: [3],
  permissions: new Set(["access-api"]),
  admin: false,
  via: "session",
};
const token = (more: Partial<KnownToken> = {}): KnownToken => ({
  id: 1,
  userId: 5,
  hash: sha256("secret"),
  endsAt: Date.now() + 60_000,
  isConfirmed: true,
  readOnly: false,
  only: null,
  ...more,
});

interface Case {
  readonly token?: Partial<KnownToken>;
  readonly viewer?: Viewer | undefined;
  readonly secret?: string;
  readonly parts?: Partial<AuthenticateParts>;
}

function ask(asked: Case, lastUsed: number[] = []) {
  const resolver = tokenResolver({
    known: { get: () => token(asked.token), forget: async () => {} },
    users: { viewer: () => ("viewer" in asked ? asked.viewer : ann) } as unknown as Users,
    needsConfirmation: false,
    used: ({ id }) => void lastUsed.push(id),
    upgrade: async (_, secret) => secret === "secret",
    ...asked.parts,
  });
  return resolver(
    new Request("http://localhost", { headers: { authorization: `Token abc:${asked.secret ?? "secret"}` } }),
    "127.0.0.1",
  );
}

const told = (answer: unknown) =>
  answer instanceof ApiError ? `${answer.status} ${answer.message.slice(0, 24)}` : answer;

test("a remembered token is recognised without waiting for anything", () => {
  const lastUsed: number[] = [];
  expect(ask({}, lastUsed)).toEqual({ ...ann, via: "token" });
  expect(lastUsed).toEqual([1]);
});

test("of several reasons to refuse, the first of the contract's order is told", () => {
  const gone = { viewer: undefined };
  const barred = { viewer: { ...ann, permissions: new Set<string>() } };
  const late = { endsAt: Date.now() - 1 };
  const strict = { parts: { needsConfirmation: true } };
  expect(told(ask({ secret: "wrong", token: late, ...barred }))).toBe("401 The secret provided for ");
  expect(told(ask({ token: { ...late, isConfirmed: false }, ...barred, ...strict }))).toBe(
    "403 The authorization token ",
  );
  expect(told(ask(gone))).toBe("401 Unauthorized");
  expect(told(ask({ token: { isConfirmed: false }, ...barred, ...strict }))).toBe("403 The owner of the used AP");
  expect(told(ask({ token: { isConfirmed: false }, ...strict }))).toBe("401 The email address for th");
  expect(told(ask({ token: { isConfirmed: false } }))).toEqual({ ...ann, via: "token" });
});

test("a refused token does not count as used", async () => {
  const lastUsed: number[] = [];
  await ask({ secret: "wrong" }, lastUsed);
  await ask({ viewer: undefined }, lastUsed);
  expect(lastUsed).toEqual([]);
});

test("a bcrypt hash is checked by who may replace it", async () => {
  expect(await ask({ token: { hash: "$2y$12$something" } })).toEqual({ ...ann, via: "token" });
  expect(told(await ask({ token: { hash: "$2y$12$something" }, secret: "wrong" }))).toBe(
    "401 The secret provided for ",
  );
});

test("an unknown token is an answer, a broken store is not", async () => {
  const failing = (error: Error) =>
    ask({ parts: { known: { get: () => Promise.reject(error), forget: async () => {} } } });
  expect(await failing(UNKNOWN)).toBe(UNKNOWN);
  expect(async () => await failing(new Error("the store is away"))).toThrow("the store is away");
});
