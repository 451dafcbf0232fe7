/**
 * `bun test/bench/hello.ts [seconds] [word]`: what a request costs whose route does nothing: microseconds of processor time of the server's
 * process, at 16 connections that are kept alive. Measured are the core with one plugin (`hello_plugin.ts`), with one more whose route is for
 * those who are signed in (`hello_members.ts`), and all that ships with both, beside `Bun.serve` and one route of Elysia (`hello_bare.ts`). They take turns, five rounds each, after one that warms up; shown is the median round and its
 * ratio to Elysia. With a word, only servers whose names contain it, and Elysia.
 */
import { openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { type Cost, costOf, type Measured, medianCost } from "./cpu.ts";
import { record } from "./record.ts";

const ROUNDS = 5;
const CONNECTIONS = 16;
const FIRST_PORT = 18_100;
const PLUGIN = "./test/bench/hello_plugin.ts";
const MEMBERS = "./test/bench/hello_members.ts";
const BARE = "test/bench/hello_bare.ts";
const ELYSIA = "Elysia";
const seconds = Number(process.argv[2] ?? 2);
const word = process.argv[3] ?? "";
const signedIn = { path: "/api/hello/members", headers: { authorization: "Hello bench" } };
const everybody = { path: "/api/hello", headers: {} };

const servers = await openBenchServers();
try {
  let next = FIRST_PORT;
  const start = async (command: readonly string[], more: Readonly<Record<string, string>>) => {
    const port = next++;
    const env = { ...(await servers.another()).env, ...more, PORT: String(port) };
    const { pid } = await servers.start([process.execPath, ...command], env, port);
    return { port, pid };
  };
  const asks = ({ path, headers }: typeof everybody | typeof signedIn) => ({
    shot: () => ({ method: "GET", path, headers }),
  });
  const bare = await start([BARE], {});
  const elysia = await start([BARE], { HELLO_ON: "elysia" });
  const core = await start(["core/cli.ts", "serve", PLUGIN], {});
  const members = await start(["core/cli.ts", "serve", PLUGIN, MEMBERS], {});
  const whole = await start([...SERVE, PLUGIN, MEMBERS], {});
  const token = { path: signedIn.path, headers: { authorization: `Token ${TOKEN}` } };
  const all: Readonly<Record<string, Measured>> = {
    "Bun.serve": { ...bare, ...asks(everybody) },
    [ELYSIA]: { ...elysia, ...asks(everybody) },
    "core, for everybody": { ...core, ...asks(everybody) },
    "core, signed in": { ...members, ...asks(signedIn) },
    "all that ships, for everybody": { ...whole, ...asks(everybody) },
    "all that ships, by a token": { ...whole, ...asks(token) },
  };
  const chosen = Object.entries(all).filter(([name]) => name === ELYSIA || name.includes(word));
  const costs = new Map<string, Cost[]>(chosen.map(([name]) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, measured] of chosen) {
      const cost = await costOf(measured, CONNECTIONS, seconds);
      if (round > 0) costs.get(name)?.push(cost);
    }
  const beside = medianCost(costs.get(ELYSIA) ?? []).cpuUs;
  for (const [server, rounds] of costs) {
    const { cpuUs, perSecond, p99, refused } = medianCost(rounds);
    record("A request whose route does nothing", {
      server,
      "CPU, µs": cpuUs.toFixed(1),
      "as a ratio to Elysia": (cpuUs / beside).toFixed(2),
      "per second": Math.round(perSecond),
      "p99 ms": p99.toFixed(2),
      refused,
    });
  }
} finally {
  await servers.stop();
}
