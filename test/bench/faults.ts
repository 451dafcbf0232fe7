/**
 * `bun test/bench/faults.ts [rounds] [word]`: eight clients create pages while something breaks, again and again: the server is killed
 * (kill -9) and started again, its PostgreSQL is killed, both are, the store is frozen, its disk is full, the clock jumps. After
 * the rounds of a fault every page that was acknowledged is looked up. The store is the embedded one, with the settings that ship.
 * With a word, only faults whose names contain it. The full disk needs root, for a small file system; the clock needs Debian's
 * package `faketime`. A fault that cannot be caused here is named and left out.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { embeddedPid, whileStalled } from "../support/harness/stall.ts";
import { median, record } from "./record.ts";

const CLIENTS = 8;
const ANSWER_MAX_MS = 30_000;
const PAUSE_AFTER_FAILURE_MS = 20;
/** Rounds of faults that take seconds each. */
const SLOW_ROUNDS = 5;
const FROZEN_MS = 3_000;
const FULL_MS = 3_000;
const DISK_MB = 600;
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const JUMPS = ["+2d", "-1d", "+400d", "+0", "-10m"];

const rounds = Number(process.argv[2] ?? 50);
const word = process.argv[3] ?? "";

/** A running server and what a fault does to it. */
interface Scene {
  program: Program;
  readonly dataDir: string;
  /** Starts the server again at its port. */
  start(): Promise<void>;
}

interface Fault {
  readonly name: string;
  readonly rounds: number;
  /** Variables of the server; undefined where the fault cannot be caused here. */
  prepare(dataDir: string): Record<string, string> | undefined;
  cause(scene: Scene, round: number): Promise<void>;
  end?(dataDir: string): void;
}

async function killServer({ program }: Scene): Promise<void> {
  program.signal("SIGKILL");
  await program.ended;
}

const killStore = ({ dataDir }: Scene) => void process.kill(embeddedPid(dataDir), "SIGKILL");

const FAULTS: readonly Fault[] = [
  {
    name: "server killed",
    rounds,
    prepare: () => ({}),
    async cause(scene) {
      await killServer(scene);
      await scene.start();
    },
  },
  {
    name: "PostgreSQL killed",
    rounds,
    prepare: () => ({}),
    async cause(scene) {
      killStore(scene);
    },
  },
  {
    name: "both killed",
    rounds,
    prepare: () => ({}),
    async cause(scene) {
      killStore(scene);
      await killServer(scene);
      await scene.start();
    },
  },
  {
    name: `store frozen ${FROZEN_MS / 1000} s`,
    rounds: SLOW_ROUNDS,
    prepare: () => ({}),
    cause: ({ dataDir }) => whileStalled(embeddedPid(dataDir), () => Bun.sleep(FROZEN_MS)),
  },
  {
    name: `disk full ${FULL_MS / 1000} s`,
    rounds: SLOW_ROUNDS,
    prepare(dataDir) {
      const options = ["-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=755`, "tmpfs", dataDir];
      return Bun.spawnSync(["mount", ...options]).exitCode === 0 ? {} : undefined;
    },
    async cause({ dataDir }) {
      const filler = join(dataDir, "filler");
      // dd goes on until there is no room; that it fails then is what is wanted.
      Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=64k"], { stderr: "ignore" });
      await Bun.sleep(FULL_MS);
      rmSync(filler);
    },
    end: (dataDir) => void Bun.spawnSync(["umount", "--lazy", dataDir]),
  },
  {
    name: "clock jumps",
    rounds: SLOW_ROUNDS,
    prepare(dataDir) {
      if (!existsSync(FAKETIME)) return undefined;
      writeFileSync(join(dataDir, "clock"), "+0\n");
      return {
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: join(dataDir, "clock"),
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      };
    },
    async cause({ dataDir }, round) {
      writeFileSync(join(dataDir, "clock"), `${JUMPS[round % JUMPS.length]}\n`);
      await Bun.sleep(FROZEN_MS);
    },
  },
];

/** What the clients saw of the rounds of one fault. */
interface Seen {
  readonly acknowledged: string[];
  /** Milliseconds without an acknowledged page after each fault, until the first one. */
  readonly outages: number[];
  /** Answers by status, other than 200; 0 stands for no answer. */
  readonly refused: Map<number, number>;
}

async function measure(fault: Fault): Promise<void> {
  const folder = dataFolder();
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir, { mode: 0o755 });
  const more = fault.prepare(dataDir);
  if (more === undefined) {
    process.stdout.write(`${fault.name}: cannot be caused on this machine\n`);
    folder.remove();
    return;
  }
  const env = { ...more, PORT: String(await freePort()), LOG_LEVEL: "error" };
  const start = () => startProgram(dataDir, env);
  const scene: Scene = {
    program: await start(),
    dataDir,
    async start() {
      scene.program = await start();
    },
  };
  const seen: Seen = { acknowledged: [], outages: [], refused: new Map() };
  try {
    const book = (await scene.program.ask("POST", "/api/books", { name: "Faults" })).body.id as number;
    await causeAll(fault, scene, seen, book);
    const found = await namesOf(scene.program, book);
    const lost = seen.acknowledged.filter((name) => !found.has(name)).length;
    const wrong = [...seen.refused].filter(([status]) => status >= 500 && status !== 503 && status !== 507);
    record("Faults", {
      fault: fault.name,
      rounds: fault.rounds,
      acknowledged: seen.acknowledged.length,
      lost,
      "outage ms, median": Math.round(median(seen.outages)),
      "outage ms, longest": Math.round(Math.max(...seen.outages)),
      "answers 503 and 507": (seen.refused.get(503) ?? 0) + (seen.refused.get(507) ?? 0),
      "wrong answers": wrong.reduce((sum, [, count]) => sum + count, 0),
    });
    if (lost > 0) process.exitCode = 1;
  } finally {
    scene.program.signal("SIGTERM");
    await scene.program.ended;
    fault.end?.(dataDir);
    folder.remove();
  }
}

async function causeAll(fault: Fault, scene: Scene, seen: Seen, book: number): Promise<void> {
  let isWriting = true;
  let broken: number | undefined;
  const client = async (place: number) => {
    for (let n = 0; isWriting; n++) {
      const name = `page ${place} ${n}`;
      const sent = performance.now();
      const status = await create(scene.program.port, book, name);
      if (status === 200) {
        seen.acknowledged.push(name);
        // Only a request that was sent after the fault shows that it is over.
        if (broken !== undefined && sent > broken) {
          seen.outages.push(performance.now() - broken);
          broken = undefined;
        }
        continue;
      }
      seen.refused.set(status, (seen.refused.get(status) ?? 0) + 1);
      await Bun.sleep(PAUSE_AFTER_FAILURE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, place) => client(place));
  for (let round = 0; round < fault.rounds; round++) {
    await Bun.sleep(300 + Math.random() * 700);
    broken = performance.now();
    await fault.cause(scene, round);
    for (const until = performance.now() + ANSWER_MAX_MS; broken !== undefined; await Bun.sleep(10))
      if (performance.now() > until) throw new Error(`${fault.name}: no page is created after round ${round}`);
  }
  isWriting = false;
  await Promise.all(clients);
}

/** The status of the answer; 0 where there is none. */
async function create(port: number, book: number, name: string): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/pages`, {
      method: "POST",
      headers: { authorization: "Token adminid:adminsecret", "content-type": "application/json" },
      body: JSON.stringify({ book_id: book, name, html: `<p>${name}</p>` }),
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

async function namesOf(program: Program, book: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (let offset = 0, total = 1; offset < total; offset += 500) {
    const { status, body } = await program.ask(
      "GET",
      `/api/pages?count=500&offset=${offset}&sort=id&filter[book_id]=${book}`,
    );
    if (status !== 200) throw new Error(`Cannot look up the pages: the answer is ${status}`);
    total = body.total as number;
    for (const { name } of body.data as { name: string }[]) names.add(name);
  }
  return names;
}

for (const fault of FAULTS) if (fault.name.includes(word)) await measure(fault);
