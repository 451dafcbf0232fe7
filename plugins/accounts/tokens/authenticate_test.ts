import { expect, test } from "bun:test";
import type { Users } from "lectern/contracts";
import { ApiError, sha256, type Viewer } from "lectern/core";
import { type TokenResolverOptions, tokenResolver } from "./authenticate.ts";
import { type CachedToken, UNKNOWN } from "./token_cache.ts";

const ann: Viewer = {
  id: 5,
  name: "Ann",
  slug: "ann",
  roles: [3],
  permissions: new Set(["access-api"]),
  admin: false,
  via: "session",
};
const token = (more: Partial<CachedToken> = {}): CachedToken => ({
  id: 1,
  userId: 5,
  hash: sha256("secret"),
  expiresAt: Date.now() + 60_000,
  isConfirmed: true,
  readOnly: false,
  only: null,
  ...more,
});

interface Case {
  readonly token?: Partial<CachedToken>;
  readonly viewer?: Viewer | undefined;
  readonly secret?: string;
  readonly options?: Partial<TokenResolverOptions>;
  /** Whether unconfirmed accounts are refused. */
  readonly isStrict?: boolean;
}

function authenticate(input: Case, lastUsed: number[] = []) {
  const resolver = tokenResolver({
    tokens: { get: () => token(input.token), forget: async () => {} },
    users: {
      viewer: () => ("viewer" in input ? input.viewer : ann),
      needsConfirmation: () => input.isStrict === true,
    } as unknown as Users,
    used: ({ id }) => void lastUsed.push(id),
    upgrade: async (_, secret) => secret === "secret",
    ...input.options,
  });
  return resolver(
    new Request("http://localhost", { headers: { authorization: `Token abc:${input.secret ?? "secret"}` } }),
    "127.0.0.1",
  );
}

/** An answer to compare: the sets of viewers as lists, as frozen ones show no values to `toEqual`. */
const summary = (answer: unknown): unknown => {
  if (answer instanceof ApiError) return `${answer.status} ${answer.message.slice(0, 24)}`;
  return { ...(answer as Viewer), permissions: [...(answer as Viewer).permissions] };
};
const ADMITTED = { ...ann, permissions: [...ann.permissions], via: "token" };

test("a cached token is authenticated synchronously", () => {
  const lastUsed: number[] = [];
  expect(summary(authenticate({}, lastUsed))).toEqual(ADMITTED);
  expect(lastUsed).toEqual([1]);
});

test("of several errors the first in the order of the contract is answered", () => {
  const gone = { viewer: undefined };
  const barred = { viewer: { ...ann, permissions: new Set<string>() } };
  const late = { expiresAt: Date.now() - 1 };
  const strict = { isStrict: true };
  expect(summary(authenticate({ secret: "wrong", token: late, ...barred }))).toBe("401 The secret provided for ");
  expect(summary(authenticate({ token: { ...late, isConfirmed: false }, ...barred, ...strict }))).toBe(
    "403 The authorization token ",
  );
  expect(summary(authenticate(gone))).toBe("401 Unauthorized");
  expect(summary(authenticate({ token: { isConfirmed: false }, ...barred, ...strict }))).toBe(
    "403 The owner of the used AP",
  );
  expect(summary(authenticate({ token: { isConfirmed: false }, ...strict }))).toBe("401 The email address for th");
  expect(summary(authenticate({ token: { isConfirmed: false } }))).toEqual(ADMITTED);
});

test("a refused token is not recorded as used", async () => {
  const lastUsed: number[] = [];
  await authenticate({ secret: "wrong" }, lastUsed);
  await authenticate({ viewer: undefined }, lastUsed);
  expect(lastUsed).toEqual([]);
});

test("a bcrypt hash is verified by the upgrade", async () => {
  expect(summary(await authenticate({ token: { hash: "$2y$12$something" } }))).toEqual(ADMITTED);
  expect(summary(await authenticate({ token: { hash: "$2y$12$something" }, secret: "wrong" }))).toBe(
    "401 The secret provided for ",
  );
});

test("an unknown token is an answer, an error of the store is thrown", async () => {
  const failing = (error: Error) =>
    authenticate({ options: { tokens: { get: () => Promise.reject(error), forget: async () => {} } } });
  expect(await failing(UNKNOWN)).toBe(UNKNOWN);
  expect(async () => await failing(new Error("the store is away"))).toThrow("the store is away");
});
