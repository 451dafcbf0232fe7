/**
 * Where the store's account may not make roles, Lectern boots, says once that PostgreSQL does not enforce the grants of plugins,
 * and shows it in `plan` and `grants`; with the right to make them it does not.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type Cluster, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { type CommandResult, quickCommand, SHIPPED } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));
const NOT_ENFORCED = /^ *guest .*not enforced: permission denied to create role/m;
/** Without an installed PostgreSQL there is no server with such accounts. */
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
const folder = dataFolder();
const guest = join(folder.path, "guest.ts");
let cluster: Cluster | undefined;
let url = "";

const admin = async (text: string) => {
  const sql = postgres(cluster?.url ?? "", { max: 1 });
  await sql.unsafe(text);
  await sql.end();
};
const cli = (name: string, env: Record<string, string> = {}, ...more: string[]): Promise<CommandResult> =>
  quickCommand([name, SHIPPED, guest, ...more], { DATABASE_URL: url, DATA_DIR: folder.path, ...env });

beforeAll(async () => {
  writeFileSync(
    guest,
    `import { definePlugin } from "lectern/core";
    export default definePlugin({ name: "guest", grants: { read: ["books"] }, setup() {} });`,
  );
  cluster = await startCluster({ fast: true });
  if (!cluster) return;
  await admin("create role tenant login");
  await admin("create database tenancy owner tenant");
  const own = new URL(cluster.url);
  [own.username, own.pathname] = ["tenant", "/tenancy"];
  url = own.href;
});
afterAll(async () => {
  await cluster?.stop();
  folder.remove();
});

onServer("an account that may not make roles boots, and it is said once that grants are not enforced", async () => {
  const env = { DATABASE_URL: url, LOG_LEVEL: "warn" };
  const program = await startProgram(folder.path, env, { args: ["serve", SHIPPED, guest] });
  expect((await program.ask("GET", "/api/books")).status).toBe(200);
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  const said = program.output().match(/The store does not enforce the grants of plugins.*/g);
  expect(said).toEqual([expect.stringMatching(/permission denied to create role.*"plugins":\["guest"\]/)]);
});

onServer("plan and grants show it, until the account may make roles", async () => {
  for (const name of ["plan", "grants"])
    expect([name, (await cli(name)).out]).toEqual([name, expect.stringMatching(NOT_ENFORCED)]);
  expect((await cli("grants", {}, "guest")).out).toContain("\n  not enforced: permission denied to create role");
  const json = async () => JSON.parse((await cli("grants", {}, "--json")).out).guest;
  expect(await json()).toMatchObject({ enforced: false, notEnforced: "permission denied to create role" });
  await admin("alter role tenant createrole");
  expect(await json()).toMatchObject({ ships: false, enforced: true });
  for (const name of ["grants", "plan"])
    expect([name, (await cli(name)).out]).toEqual([name, expect.not.stringContaining("not enforced")]);
});

test("grants say that the setting is off, and that a server is not there", async () => {
  const off = await cli("grants", { DATABASE_URL: "", PLUGIN_ROLES: "off" });
  expect(off.out).toMatch(/^guest .*not enforced: PLUGIN_ROLES is off$/m);
  const gone = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
  const unknown = await cli("grants", { DATABASE_URL: gone });
  expect([unknown.code, unknown.out]).toEqual([0, expect.stringMatching(/^guest .*not known to be enforced: /m)]);
  expect((await cli("grants", { DATABASE_URL: "" })).out).not.toContain("enforced");
});
