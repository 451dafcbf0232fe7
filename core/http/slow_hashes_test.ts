import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { HASH_COST, matchesSlowHash, slowHash } from "./slow_hashes.ts";

const cheap = { ...HASH_COST };
beforeAll(() => void Object.assign(HASH_COST, { memoryCost: 16_384, timeCost: 2 }));
afterAll(() => void Object.assign(HASH_COST, cheap));

test("a secret matches its own hash of argon2id or bcrypt alone, and a damaged hash matches nothing", async () => {
  const stored = await slowHash("correct horse", "a");
  expect(stored).toStartWith("$argon2id$v=19$m=16384,t=2,");
  expect(await matchesSlowHash("correct horse", stored, "a")).toBe(true);
  expect(await matchesSlowHash("correct cow", stored, "a")).toBe(false);
  const bcrypt = await Bun.password.hash("correct horse", { algorithm: "bcrypt", cost: 4 });
  expect(await matchesSlowHash(new TextEncoder().encode("correct horse"), bcrypt, "a")).toBe(true);
  expect(await matchesSlowHash("correct cow", bcrypt, "a")).toBe(false);
  for (const damaged of [stored.slice(0, 40), "$2y$10$short", "nothing"])
    expect([damaged, await matchesSlowHash("correct horse", damaged, "a")]).toEqual([damaged, false]);
});

test("files are read before the hashes that were asked for earlier", async () => {
  // A third of a second each, so that a file that waits for one of them is seen to.
  Object.assign(HASH_COST, { memoryCost: 65_536, timeCost: 6 });
  let ended = 0;
  const hashes = Array.from({ length: 4 }, async (_, at) => {
    await slowHash("correct horse", `account ${at}`);
    ended += 1;
  });
  for (let read = 0; read < 10; read++) await Bun.file(join(import.meta.dir, "slow_hashes.ts")).text();
  const atRead = ended;
  await Promise.all(hashes);
  Object.assign(HASH_COST, { memoryCost: 16_384, timeCost: 2 });
  expect([atRead, ended]).toEqual([0, 4]);
});

test("an account has two hashes at a time at most, and is refused with 503 where many wait", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, async () => slowHash("correct horse", "crowded")),
  );
  const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(refused).toHaveLength(7);
  expect(refused[0]).toMatchObject({ status: 503, details: { headers: { "retry-after": "10" } } });
});
