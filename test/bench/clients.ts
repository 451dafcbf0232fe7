/**
 * `bun test/bench/clients.ts [count]`: reads of a page over one connection, undisturbed, beside so many open connections without a request,
 * and beside as many that send a byte of a request each second. The three take turns. Needs a limit of open files above twice
 * the count (`ulimit -n`); loopback addresses have 28,000 ports each, so the connections are spread over several.
 */
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { load } from "./load.ts";
import { median, record } from "./record.ts";

const ROUNDS = 3;
const SECONDS = 3;
const BATCH = 500;
const SLOW_EVERY_MS = 1_000;
const count = Number(process.argv[2] ?? 10_000);

const folder = dataFolder();
const program = await startProgram(folder.path, {
  LOG_LEVEL: "error",
  API_REQUESTS_PER_MIN: "100000000",
  IDLE_TIMEOUT_SECONDS: "255",
});

type Line = Awaited<ReturnType<typeof Bun.connect>>;

/** Opens connections, in batches, since a listener's queue is short. */
async function open(bytes: string): Promise<{ lines: Line[]; closed: () => number }> {
  let closed = 0;
  const lines: Line[] = [];
  const socket = {
    data() {},
    close() {
      closed += 1;
    },
  };
  for (let first = 0; first < count; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - first) }, async () => {
      const line = await Bun.connect({ hostname: "127.0.0.1", port: program.port, socket });
      if (bytes !== "") line.write(bytes);
      return line;
    });
    lines.push(...(await Promise.all(batch)));
  }
  return { lines, closed: () => closed };
}

const read = (path: string) =>
  load(program.port, 1, SECONDS, () => ({ method: "GET", path, headers: { authorization: program.authorization } }));

try {
  const book = (await program.ask("POST", "/api/books", { name: "Clients" })).body.id;
  const page = (await program.ask("POST", "/api/pages", { book_id: book, name: "Page", html: "<p>Text</p>" })).body.id;
  const path = `/api/pages/${page}`;
  await read(path);
  const cases: Record<string, () => Promise<{ end: () => number }>> = {
    undisturbed: async () => ({ end: () => 0 }),
    [`beside ${count} idle connections`]: async () => {
      const { lines, closed } = await open("");
      return { end: () => endOf(lines, closed) };
    },
    [`beside ${count} slow requests`]: async () => {
      const { lines, closed } = await open("GET /api/books HTTP/1.1\r\nx-slow: ");
      const timer = setInterval(() => {
        for (const line of lines) line.write("a");
      }, SLOW_EVERY_MS);
      return {
        end() {
          clearInterval(timer);
          return endOf(lines, closed);
        },
      };
    },
  };
  const found = Object.keys(cases).map((name) => ({
    name,
    perSecond: [] as number[],
    p99: [] as number[],
    closed: 0,
    refused: 0,
  }));
  for (let round = 0; round < ROUNDS; round++)
    for (const row of found) {
      const { end } = await (cases[row.name] as (typeof cases)[string])();
      const { perSecond, p99, refused } = await read(path);
      row.perSecond.push(perSecond);
      row.p99.push(p99);
      row.refused += refused;
      row.closed += end();
      await Bun.sleep(1_000);
    }
  for (const { name, perSecond, p99, closed, refused } of found)
    record("A client's page reads", {
      case: name,
      "reads/s": Math.round(median(perSecond)),
      "p99 ms": median(p99).toFixed(2),
      refused,
      "connections closed by the server meanwhile": closed,
    });
} finally {
  program.signal("SIGTERM");
  await program.ended;
  folder.remove();
}

/** Ends the connections; how many the server had closed before. */
function endOf(lines: readonly Line[], closed: () => number): number {
  const before = closed();
  for (const line of lines) line.end();
  return before;
}
