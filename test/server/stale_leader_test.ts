/**
 * A former leader comes back ten times while the promoted server is away. Nothing is ever written to it: neither by the server that
 * saw the promotion nor by one that starts later, until a command accepts it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import postgres from "postgres";
import { type Cluster, startCluster } from "../support/harness/cluster.ts";
import { type CommandResult, command, quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { canReplicate, type ReplicaServer, startReplica } from "../support/harness/replica.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(300_000));
const isHere = canReplicate();
const onServers = isHere ? test : test.skip;
const skipped = isHere ? "" : " (skipped: no PostgreSQL is installed here)";
const ROUNDS = 10;
const FORMER = "A former leader of the store accepts writes, and is not used";
const folder = dataFolder();
let former: Cluster;
let promoted: ReplicaServer;
let env: Record<string, string>;
let program: Program | undefined;
/** Hosts with their ports, as the log has them. */
let formerHost: string;
let promotedHost: string;

beforeAll(async () => {
  if (!isHere) return;
  former = (await startCluster()) as Cluster;
  promoted = await startReplica(former.url);
  formerHost = new URL(former.url).host;
  promotedHost = new URL(promoted.urlOf(former.url)).host;
  env = { DATABASE_URL: `postgres://postgres@${formerHost},${promotedHost}/postgres` };
  program = await startProgram(folder.path, { ...env, METRICS_TOKEN: "a-secret" });
});
afterAll(async () => {
  program?.signal("SIGTERM");
  await program?.ended;
  await promoted?.stop();
  await former?.stop();
  folder.remove();
});

const acknowledged: string[] = [];
/** Creates a book. Resolves to the status. */
async function write(name: string): Promise<number> {
  const { status } = await (program as Program).ask("POST", "/api/books", { name });
  if (status === 200) acknowledged.push(name);
  return status;
}
/** Writes until one is acknowledged; each of the others is answered 503. */
async function writesAgain(name: string): Promise<void> {
  let count = 0;
  const statuses = new Set<number>();
  await until(async () => {
    const status = await write(`${name} ${++count}`);
    statuses.add(status);
    return status === 200;
  });
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
}
const ready = async () => (await fetch(`http://127.0.0.1:${program?.port}/ready`)).status;
const scrape = () =>
  fetch(`http://127.0.0.1:${program?.port}/metrics`, { headers: { authorization: "Bearer a-secret" } });

async function names(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 });
  try {
    return (await sql<{ name: string }[]>`select name from books order by id`).map(({ name }) => name);
  } finally {
    await sql.end();
  }
}

/** The lines of the log with a message. */
function logged(message: string): Record<string, unknown>[] {
  const lines = (program as Program).output().split("\n");
  return lines.flatMap((line) => (line.includes(`"message":"${message}"`) ? [JSON.parse(line)] : []));
}

const run = (...args: string[]): Promise<CommandResult> =>
  (args[0] === "serve" ? command : quickCommand)(args, { ...env, DATA_DIR: folder.path, LOG_LEVEL: "warn" });

onServers(`a former leader that comes back ten times is never written to${skipped}`, async () => {
  await writesAgain("Before");
  await former.kill();
  // A server promoted before anybody asks is found without a loss.
  await until(async () => (await ready()) === 503);
  await promoted.promote();
  await writesAgain("Promoted");
  const before = acknowledged.filter((name) => name.startsWith("Before"));
  for (let round = 1; round <= ROUNDS; round++) {
    // It looks twice a second whether a lost store is back.
    await until(() => logged("The store was found again").length === round);
    const shown = logged(FORMER).length;
    await former.restart();
    await promoted.kill();
    await until(() => logged(FORMER).length > shown);
    expect([await write(`Lost ${round}`), await ready(), (await scrape()).status]).toEqual([503, 503, 200]);
    await promoted.restart();
    await writesAgain(`Round ${round}`);
    expect(await names(former.url)).toEqual(before);
    await former.kill();
  }
  await until(() => logged("The store was found again").length === ROUNDS + 1);
  expect(await names(promoted.urlOf(former.url))).toEqual(acknowledged);
  expect(logged("The store has another leader")).toMatchObject([{ host: promotedHost, from: formerHost, timeline: 2 }]);
  expect(logged(FORMER)[0]).toMatchObject({
    level: "error",
    host: formerHost,
    cause: expect.stringContaining("its timeline is 1, that of its cluster 2"),
  });
});

onServers(`each loss of the store is one line of the log with host and cause, and no stack follows${skipped}`, () => {
  const losses = logged("The store was lost");
  // The first leader was killed once before the rounds.
  expect([losses.length, logged("The store was found again").length]).toEqual([ROUNDS + 1, ROUNDS + 1]);
  expect(losses[0]).toMatchObject({
    level: "error",
    host: formerHost,
    cause: expect.stringMatching(/ECONN|CONNECT/),
  });
  expect(losses.slice(1).map(({ host }) => host)).toEqual(Array.from({ length: ROUNDS }, () => promotedHost));
  const lines = (program as Program).output().split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
  // Nor do jobs, schedules and webhooks say each second that they wait for it.
  expect(lines.filter((line) => /"message":"Cannot (?:work|deliver|read when)/.test(line))).toEqual([]);
});

onServers(`a start, a command and doctor refuse it as well, until a command accepts it${skipped}`, async () => {
  await former.restart();
  const beside = await run("doctor", "core/leader");
  expect([beside.code, beside.out]).toEqual([1, expect.stringContaining(`${formerHost} accepts writes on timeline 1`)]);
  program?.signal("SIGTERM");
  expect(await program?.ended).toBe(0);
  await promoted.kill();
  for (const args of [["serve"], ["doctor"], ["jobs", "list"], ["migrate"]]) {
    const { code, err } = await run(...args);
    expect([args, code, err]).toEqual([args, 1, expect.stringContaining("is a former leader (its timeline is 1")]);
  }
  const shown = await run("leader");
  expect([shown.code, shown.out]).toEqual([1, expect.stringMatching(/timeline 2 of this cluster was used before/)]);
  expect(shown.out).toMatch(/Lectern ran over it last at \d{4}-/);
  const accepted = await run("leader", "accept");
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining(`Accepted ${formerHost} with timeline 1`)]);
  expect((await run("jobs", "list")).code).toBe(0);
  expect((await run("leader")).code).toBe(0);
});
