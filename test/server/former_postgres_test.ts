/**
 * An upgrade that brings a newer PostgreSQL to an embedded store of version 17: refused, then opened by the former binaries, backed
 * up, and restored in a cluster of the newer version.
 */
import { afterAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { command, quickCommand, SHIPPED } from "../support/harness/command.ts";
import { makeFormerCluster } from "../support/harness/former_postgres.ts";
import { dataFolder } from "../support/harness/program.ts";

const TIMEOUT_MS = 600_000;
const { path: folder, remove } = dataFolder();
const env = { DATA_DIR: folder, LOG_LEVEL: "warn" };
const ends: (() => void)[] = [remove];

afterAll(() => {
  for (const end of ends) end();
});

test(
  "the commands that the refusal names lead from PostgreSQL 17 to the installed version",
  async () => {
    const { installed, cluster, refusal, remove: uninstall } = await makeFormerCluster(folder);
    ends.push(uninstall);
    expect(refusal).toMatch(/PostgreSQL 17 created it, which is incompatible with the installed PostgreSQL \d+\. /);
    for (const part of ['"lectern backup FILE"', '"lectern restore FILE"', "DATABASE_URL"])
      expect(refusal).toContain(part);

    // In the folder with the former binaries everything works over the former cluster.
    const file = join(folder, "before.tar.zst");
    const inFormer = (...args: string[]) => command([args[0] ?? "", SHIPPED, ...args.slice(1)], env, installed);
    const created = await inFormer("token", "create", "--user", "admin@example.com", "--name", "upgrade");
    expect([created.code, created.err]).toEqual([0, ""]);
    const backup = await inFormer("backup", file);
    expect([backup.code, backup.err]).toEqual([0, ""]);

    renameSync(cluster, `${cluster}.17`);
    const restored = await command(["restore", file], env);
    expect([restored.code, restored.err]).toEqual([0, ""]);
    const store = await openStore({ dataDir: folder });
    const [found] = await store.sql`select current_setting('server_version_num')::int / 10000 > 17 as newer,
      (select count(*)::int from api_tokens where name = 'upgrade') as tokens`;
    await store.close();
    expect({ ...found }).toEqual({ newer: true, tokens: 1 });
    expect((await quickCommand(["jobs", "list"], env)).code).toBe(0);
  },
  TIMEOUT_MS,
);
