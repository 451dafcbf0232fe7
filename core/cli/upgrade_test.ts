import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type UpgradeParts, upgradeCommand } from "./upgrade.ts";

/** Runs the command over a made-up package of version 0.3.0, which an installation raises to 0.4.0. */
async function upgrade(
  args: readonly string[],
  { backup = 0, ...parts }: { backup?: number } & Partial<Omit<UpgradeParts, "backup">> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "lectern-upgrade-"));
  const root = join(folder, "node_modules/lectern");
  const steps: string[] = [];
  const lines: string[] = [];
  const write = (version: string) => writeFileSync(join(root, "package.json"), JSON.stringify({ version }));
  const add = (line: string) => void lines.push(line);
  const install = (spec: string) => {
    steps.push(`install ${spec}`);
    write("0.4.0");
    return undefined;
  };
  const made = async () => {
    steps.push("backup");
    return backup;
  };
  try {
    mkdirSync(root, { recursive: true });
    write("0.3.0");
    const io = { out: add, err: add, env: {}, columns: 80, tty: false };
    const code = await upgradeCommand(io, args, { root, install, ...parts, backup: made });
    return { code, steps, said: lines[0] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a backup is made before the version is installed, unless the operator does without", async () => {
  const said = "Installed Lectern 0.4.0 in place of 0.3.0. Restart the server, which migrates the store";
  const published = "lectern";
  expect(await upgrade([], { published })).toEqual({ code: 0, steps: ["backup", "install lectern@latest"], said });
  const scoped = await upgrade(["0.4.0", "--no-backup"], { published: "@docs/lectern" });
  expect(scoped).toEqual({ code: 0, steps: ["install lectern@npm:@docs/lectern@0.4.0"], said });
  expect((await upgrade(["./lectern-0.4.0.tgz"])).steps).toEqual(["backup", "install ./lectern-0.4.0.tgz"]);
});

test("nothing is installed after a backup that failed, in a copy of the repository, or for what is no version", async () => {
  const failed = await upgrade(["lectern-0.4.0.tgz"], { backup: 3 });
  expect([failed.code, failed.steps, failed.said]).toEqual([
    3,
    ["backup"],
    expect.stringContaining("the backup failed"),
  ]);
  const copy = await upgrade([], { root: "/srv/lectern" });
  expect([copy.code, copy.steps, copy.said]).toEqual([1, [], expect.stringContaining("npm has not installed")]);
  for (const args of [["next"], ["--save"], ["0.4.0", "0.5.0"], ["--x.tgz"]])
    expect([args, (await upgrade(args)).code]).toEqual([args, 2]);
  const broken = await upgrade(["lectern-0.4.0.tgz"], { install: () => "npm ended with 1" });
  expect([broken.code, broken.said]).toEqual([1, "Cannot upgrade: npm ended with 1"]);
});

test("a version is not installed by name as long as the registry has no name that is Lectern's", async () => {
  for (const args of [[], ["0.4.0"], ["latest", "--no-backup"]]) {
    const { code, steps, said } = await upgrade(args);
    expect([code, steps, said]).toEqual([
      1,
      [],
      expect.stringContaining("Name the file of a version: upgrade FILE.tgz"),
    ]);
  }
});
