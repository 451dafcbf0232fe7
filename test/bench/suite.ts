/**
 * `bun test/bench/suite.ts [COMMAND …]`: CPU seconds by cause of a command and all processes that it starts, `.ci/run` by default;
 * in another checkout where it is started there. CPU time changes less than time between quiet and busy machines, though
 * processes that share a core take more of it. Boots of runtimes within tests are measured by the harness and shown apart.
 *
 * Linux only: processes are read from /proc ten times a second. A process that is never seen is missing; what the last look at
 * one missed, at most a tenth of a second, too. Daemons are found by an environment variable that they inherit.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BOOTS_VARIABLE } from "../support/harness/boot_times.ts";

const LOOK_MS = 100;
/** USER_HZ, in which /proc counts. */
const TICKS_PER_SECOND = 100;

interface Seen {
  cause: string;
  seconds: number;
}

const command = process.argv.length > 2 ? process.argv.slice(2) : ["bash", ".ci/run"];
const folder = mkdtempSync(join(tmpdir(), "lectern-suite-"));
const boots = join(folder, "boots");
const mark = `LECTERN_SUITE=${process.pid}`;
const seen = new Map<string, Seen>();
const keys = new Map<number, string>();
const others = new Set<string>();

const started = performance.now();
const child = Bun.spawn(command, {
  env: { ...process.env, LECTERN_SUITE: String(process.pid), [BOOTS_VARIABLE]: boots },
  stdio: ["ignore", "inherit", "inherit"],
});
const timer = setInterval(look, LOOK_MS);
const code = await child.exited;
clearInterval(timer);
report((performance.now() - started) / 1000);
rmSync(folder, { recursive: true, force: true });
process.exitCode = code;

/** Adds up what each process has taken so far. */
function look(): void {
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    const stat = Number.isNaN(pid) ? undefined : read(`/proc/${pid}/stat`);
    if (stat === undefined) continue;
    const after = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    // The start time distinguishes processes that had the same number.
    const key = `${pid}:${after[19]}`;
    const seconds = (Number(after[11]) + Number(after[12])) / TICKS_PER_SECOND;
    const known = seen.get(key);
    if (known) known.seconds = seconds;
    if (others.has(key)) continue;
    const parent = keys.get(Number(after[1]));
    if (!known && pid !== child.pid && parent === undefined && !read(`/proc/${pid}/environ`)?.includes(mark)) {
      others.add(key);
      continue;
    }
    // A process may become another program, and PostgreSQL overwrites its command line: its children take its cause.
    const line = read(`/proc/${pid}/cmdline`);
    // A process that ends has none any more.
    if (known && !line) continue;
    const cause = causeOf(name, (line ?? "").split("\0"));
    const inherited = parent === undefined ? undefined : seen.get(parent)?.cause;
    seen.set(key, {
      seconds,
      cause: cause === "PostgreSQL" ? (known?.cause ?? inheritedStore(inherited) ?? cause) : cause,
    });
    keys.set(pid, key);
  }
}

function inheritedStore(cause: string | undefined): string | undefined {
  return cause?.startsWith("PostgreSQL") ? cause : undefined;
}

function causeOf(name: string, args: readonly string[]): string {
  const line = args.join(" ");
  if (/^postgres/.test(name)) {
    if (/native|embedded/.test(args[0] ?? "")) return "PostgreSQL, embedded";
    return args[0]?.startsWith("/") ? "PostgreSQL, of the system" : "PostgreSQL";
  }
  if (/chrom|headless_shell/.test(name)) return "Chromium";
  if (/tsc|tsgo/.test(name) || /\/tsc(?: |$)|typescript/.test(line)) return "types";
  if (/biome|oxlint/.test(name) || /biome|oxlint/.test(line)) return "lint";
  if (/initdb|pg_/.test(name)) return "PostgreSQL, tools";
  if (/npm|node/.test(name)) return "npm and node";
  if (/bun/.test(name) || /bun/.test(args[0] ?? "")) {
    if (args.includes("test/run.ts") || args.includes(".ci/steps.ts")) return "the runner, with templates";
    if (args.includes("--test-worker") || args.includes("test")) return "tests in their processes";
    return "programs that tests start";
  }
  return "others";
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // It has ended since its folder was listed, or is a process of the kernel.
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function report(wall: number): void {
  const sums = new Map<string, { seconds: number; processes: number }>();
  for (const { cause, seconds } of seen.values()) {
    const sum = sums.get(cause) ?? { seconds: 0, processes: 0 };
    sums.set(cause, { seconds: sum.seconds + seconds, processes: sum.processes + 1 });
  }
  const booted = (read(boots) ?? "").split("\n").filter(Boolean).map(Number);
  const total = [...sums.values()].reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = [...sums].sort(([, a], [, b]) => b.seconds - a.seconds);
  const line = (title: string, seconds: number, count: string) =>
    process.stdout.write(
      `${title.padEnd(32)} ${seconds.toFixed(1).padStart(8)} s ${((100 * seconds) / total).toFixed(1).padStart(5)} %  ${count}\n`,
    );
  process.stdout.write(`\n${command.join(" ")}: ${wall.toFixed(0)} s, ended with ${code}\n`);
  for (const [cause, { seconds, processes }] of rows) line(cause, seconds, `${processes} processes`);
  if (booted.length > 0)
    line("  boots within test processes", booted.reduce((sum, ms) => sum + ms, 0) / 1000, `${booted.length} boots`);
  line("all", total, `${seen.size} processes`);
}
