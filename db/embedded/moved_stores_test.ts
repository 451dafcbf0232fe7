import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "../_stores.ts";
import { movedStores, removeMovedStore, StoreError } from "../mod.ts";
import { tryLock } from "./file_lock.ts";

const root = dataFolder();
const homes = dataFolder();
afterAll(() => {
  for (const folder of [root, homes]) rmSync(folder, { recursive: true, force: true });
});

/** A store apart, and the data folder that points to it unless that is gone. */
function moved(name: string, { owner = true, points = true } = {}): string {
  const folder = join(root, name);
  const home = join(homes, name, "postgres");
  mkdirSync(join(folder, "cluster"), { recursive: true });
  for (const lock of ["boot.lock", "presence.lock"]) writeFileSync(join(folder, lock), "");
  if (owner) writeFileSync(join(folder, "belongs_to"), home);
  if (!points) return folder;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "moved_to"), folder);
  return folder;
}

const states = () => movedStores(root).map(({ name, state, isLive }) => [name, state, isLive]);
const refused = (name: string, options = {}) => {
  try {
    removeMovedStore(name, options, root);
    return "removed";
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as Error).message;
  }
};

test("only a store whose data folder is gone can be removed", () => {
  expect(movedStores(join(root, "nothing"))).toEqual([]);
  const kept = moved("a-kept");
  const gone = moved("b-gone", { points: false });
  const used = moved("c-used", { points: false });
  const old = moved("d-old", { owner: false, points: false });
  const release = tryLock(join(used, "presence.lock"), "shared");
  expect(states()).toEqual([
    ["a-kept", "kept", false],
    ["b-gone", "gone", false],
    ["c-used", "gone", true],
    ["d-old", "unknown", false],
  ]);
  expect(refused("a-kept", { force: true })).toContain("points to it");
  expect(refused("c-used", { force: true })).toContain("a process uses it");
  expect(refused("d-old")).toContain("data folder is unknown");
  for (const name of ["../b-gone", "", ".", "b-gone/cluster", "nothing"])
    expect([name, refused(name, { force: true })]).toEqual([
      name,
      expect.stringContaining("there is none of that name"),
    ]);
  expect([kept, gone, used, old].map((folder) => existsSync(folder))).toEqual([true, true, true, true]);
  expect([refused("b-gone"), refused("d-old", { force: true })]).toEqual(["removed", "removed"]);
  release?.();
  expect(refused("c-used")).toBe("removed");
  expect(states()).toEqual([["a-kept", "kept", false]]);
});
