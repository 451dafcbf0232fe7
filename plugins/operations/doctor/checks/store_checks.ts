/** Checks of the database: migrations, the rights of plugins' roles, its clock. */
import { withCore } from "lectern/cli";
import { Findings, type SelfCheck } from "lectern/contracts";
import { type AnyPlugin, type CheckedParts, SECOND_MS, sql } from "lectern/core";
import { type Db, ledgers, migrationStatuses, type Store } from "lectern/db";

/** Steps that have not run are errors; steps and ledgers that the code lacks are left by newer versions and removed plugins. */
export function migrationChecks(db: Db, plugins: readonly AnyPlugin[]): SelfCheck[] {
  const known = withCore(plugins);
  return [
    {
      name: "core/migrations",
      title: "Every migration has run",
      async check() {
        const findings = new Findings();
        for (const [name, { pending }] of await migrationStatuses(db, known))
          for (const step of pending) findings.add(`${name} ${step}`);
        return findings.as("error", "Restart the server, or run the command migrate.");
      },
    },
    {
      name: "core/older_code",
      title: "Every migration in the database is known",
      async check() {
        const findings = new Findings();
        const statuses = await migrationStatuses(db, known);
        for (const [name, { unknown }] of statuses) for (const step of unknown) findings.add(`${name} ${step}`);
        for (const name of await ledgers(db)) if (!statuses.has(name)) findings.add(`the plugin ${name} is not loaded`);
        return findings.as(
          "warning",
          "Run the newest version that ran here; the command plugin lists and purges what removed plugins left.",
        );
      },
    },
  ];
}

/** The roles of plugins have exactly the declared rights. A boot brings them in line too, so a command finds what was changed since. */
export function grantsCheck(roles: Pick<CheckedParts["roles"], "drift" | "repair">): SelfCheck {
  return {
    name: "core/grants",
    title: "The database roles of plugins have exactly their grants, and none is left over",
    async check() {
      const findings = new Findings();
      const { changes, leftovers } = await roles.drift();
      for (const change of changes) findings.add(`missing: ${change}`);
      for (const role of leftovers) findings.add(`left over: role ${role}`);
      return findings.as("warning");
    },
    fix: () => roles.repair(),
  };
}

/** No host of DATABASE_URL is a former leader that accepts writes beside the leader: other clients may write there. */
export function leaderCheck({ hosts }: Pick<Store, "hosts">): SelfCheck {
  return {
    name: "core/leader",
    title: "The hosts of DATABASE_URL have one leader",
    async check() {
      const findings = new Findings();
      for (const { host, leader, newest } of await hosts())
        if (leader && newest !== undefined)
          findings.add(`${host} accepts writes on timeline ${leader.timeline}, and that of its cluster is ${newest}`);
      return findings.as(
        "error",
        "Stop it, and make it a standby of the leader, such as by pg_rewind, before it runs again.",
      );
    },
  };
}

/** The clocks of this process and of the database differ by at most `maxSeconds`: tokens, sessions and jobs compare both. */
export function clockCheck(db: Db, maxSeconds: number): SelfCheck {
  return {
    name: "core/clock",
    title: "The clocks of the server and the database agree",
    async check() {
      const findings = new Findings();
      const before = Date.now();
      const { rows } = await sql<{
        ms: number;
      }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
      const seconds = ((rows[0]?.ms ?? before) - (before + Date.now()) / 2) / SECOND_MS;
      if (Math.abs(seconds) > maxSeconds)
        findings.add(`the database is ${seconds.toFixed(1)} seconds ahead of the server`);
      return findings.as("warning", "Synchronise both clocks, such as by NTP.");
    },
  };
}
