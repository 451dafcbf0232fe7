/**
 * The command `leader`: shows what the hosts of DATABASE_URL are. `leader accept` makes a server of an older timeline the leader, as
 * after a restore or a move: starts refuse it, since it may be a former leader that came back.
 */
import { sql } from "kysely";
import { type Db, type HostState, openStore, rows, Timelines } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { markedTimelines, markTimelines } from "../files/instance_marker.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { readConfig, serverOptions, withFiles } from "./open.ts";

/** The forms of the command. */
export const LEADER_USAGE = "[accept]";

/** Returns 0, and 1 where the server that would be used is a former leader and was not accepted. Throws BootError. */
export async function leaderCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const [verb, ...more] = args;
  if (more.length > 0 || (verb !== undefined && verb !== "accept")) {
    io.err(`Usage: leader ${LEADER_USAGE}`);
    return 2;
  }
  const config = readConfig(io, plugins);
  if (config.databaseUrl === "")
    throw new BootError("Cannot show leaders: the embedded store is one server, set DATABASE_URL");
  return withFiles(config, plugins, io, async (files) => {
    const marked = await markedTimelines(files);
    // Knows nothing, so that a former leader is opened too.
    const timelines = new Timelines();
    const store = await openStore({ ...serverOptions(config), dataDir: "", poolSize: 2, looks: true, timelines });
    try {
      const hosts = await store.hosts();
      for (const { host, found, leader } of hosts)
        io.out(`${host} ${found}${leader ? ` (${timelineOf(leader)})` : ""}`);
      const used = usedOf(hosts);
      const newest = marked[used?.system ?? ""] ?? 0;
      if (!used || newest <= used.timeline) {
        if (verb === "accept") io.out("There is nothing to accept: no later timeline was used before");
        return 0;
      }
      io.out(
        `${used.host} is not used: timeline ${newest} of this cluster was used before, and what was written there is not here`,
      );
      const ranUntil = await lastUse(store.db);
      if (ranUntil !== undefined) io.out(`Lectern ran over it last at ${ranUntil} UTC`);
      if (verb === undefined) {
        io.out('If it was restored or moved, stop all servers and run "leader accept"; else start the leader');
        return 1;
      }
      await markTimelines(files, { [used.system]: used.timeline }, true);
      io.out(`Accepted ${used.host} with timeline ${used.timeline} as the leader; restart the servers that run`);
      return 0;
    } finally {
      await store.close();
    }
  });
}

function timelineOf({ system, timeline }: NonNullable<HostState["leader"]>): string {
  return `timeline ${timeline} of the cluster ${system === "" ? "without a known identifier" : system}`;
}

/** The host that a server would use, of those that it can reach. */
function usedOf(hosts: readonly HostState[]): { host: string; system: string; timeline: number } | undefined {
  const leaders = hosts.flatMap(({ host, leader, newest }) =>
    leader && newest === undefined ? [{ host, ...leader }] : [],
  );
  return leaders.sort((a, b) => b.timeline - a.timeline)[0];
}

/** When a server or command was last known to use the store. */
async function lastUse(db: Db): Promise<string | undefined> {
  // A template: Kysely's builder has no words for catalogs.
  const [table] = await rows(db, sql<{ there: boolean }>`select to_regclass('running_servers') is not null as there`);
  if (!table?.there) return undefined;
  const found = await db
    .selectFrom("running_servers")
    .select(({ ref }) =>
      sql<string | null>`to_char(max(greatest(${ref("started_at")}, ${ref("seen_at")})), 'YYYY-MM-DD HH24:MI')`.as(
        "at",
      ),
    )
    .executeTakeFirst();
  return found?.at ?? undefined;
}
