/**
 * `bun run bench [name …]`: runs the benchmarks one after the other and writes `report.md` and `report.json` beside this file. With names
 * only these run, and the report keeps what it has of the others; each part says when, on which commit and on which machine
 * it was measured, and how busy the machine was at its start. `bun run bench list` prints the names. Nothing else should run
 * meanwhile. The whole takes some hours, since it fills stores of a million pages; a part that fails is reported as such.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { systemBinaries } from "../support/harness/cluster.ts";
import { PARTS, type Part } from "./parts.ts";
import type { Recorded } from "./record.ts";

const ROOT = join(import.meta.dir, "../..");
const JSON_FILE = join(import.meta.dir, "report.json");
const MARKDOWN_FILE = join(import.meta.dir, "report.md");

/** What a part of the report says of its run. */
interface Measured {
  readonly name: string;
  readonly command: string;
  /** The day, as YYYY-MM-DD. */
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  /** Load average of the minute before. */
  readonly loadBefore: number;
  readonly seconds: number;
  readonly exitCode: number;
  readonly rows: readonly Recorded[];
  /** What was printed, of a benchmark that hands over no rows. */
  readonly printed: string;
}

async function measure(part: Part): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-bench-rows-"));
  const records = join(folder, "rows");
  const started = performance.now();
  const loadBefore = Number((loadavg()[0] ?? 0).toFixed(2));
  process.stdout.write(`\n== ${part.name}: ${commandOf(part)}\n`);
  const child = Bun.spawn([process.execPath, ...part.args], {
    cwd: ROOT,
    env: { ...process.env, BENCH_RECORDS: records },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const printed = await shown(child.stdout);
  const exitCode = await child.exited;
  const lines = existsSync(records) ? readFileSync(records, "utf8").trim().split("\n") : [];
  rmSync(folder, { recursive: true, force: true });
  return {
    name: part.name,
    command: commandOf(part),
    date: new Date().toISOString().slice(0, 10),
    commit:
      git("rev-parse", "--short", "HEAD") +
      (git("status", "--porcelain", "--", ".", ":!test/bench/report.*") === "" ? "" : ", changed"),
    machine: machine(),
    loadBefore,
    seconds: Math.round((performance.now() - started) / 1000),
    exitCode,
    rows: lines.map((line) => JSON.parse(line) as Recorded),
    printed: lines.length > 0 ? "" : printed.trimEnd(),
  };
}

const commandOf = ({ args }: Part): string => `bun ${args.join(" ")}`;

async function shown(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const part = decoder.decode(chunk, { stream: true });
    process.stdout.write(part);
    text += part;
  }
  return text;
}

function git(...args: string[]): string {
  return Bun.spawnSync(["git", ...args], { cwd: ROOT })
    .stdout.toString()
    .trim();
}

/** Kind and number of processors, memory and versions: no name of the machine. */
function machine(): string {
  const [first] = cpus();
  const bin = systemBinaries();
  const postgres = bin
    ? Bun.spawnSync([join(bin, "postgres"), "--version"])
        .stdout.toString()
        .trim()
    : "embedded only";
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${first?.model.trim()}, ${memory} GB, Bun ${Bun.version}, ${postgres.replace(/ \(Debian.*/, "")}`;
}

function reportOf(measured: readonly Measured[]): string {
  const sections = measured.map((part) => {
    const { title, about } = PARTS.find(({ name }) => name === part.name) ?? { title: part.name, about: "" };
    return [
      `## ${title}`,
      about,
      `\`${part.command}\`, ${part.date}, commit ${part.commit}, load before ${part.loadBefore}, ${part.seconds} s; ${part.machine}.${part.exitCode === 0 ? "" : ` **It failed with code ${part.exitCode}.**`}`,
      ...tables(part.rows),
      ...(part.printed === "" ? [] : [`\`\`\`text\n${part.printed}\n\`\`\``]),
    ].join("\n\n");
  });
  const head = `# What Lectern costs

Made by \`bun run bench\` (\`run.ts\`). Load generator, servers and database share one machine: compare figures within a part. Ratios are those of
medians of rounds that took turns within one run. The same figures are in \`report.json\`.`;
  return `${[head, ...sections].join("\n\n")}\n`;
}

function tables(rows: readonly Recorded[]): string[] {
  const titles = [...new Set(rows.map(({ table }) => table))];
  return titles.map((title) => {
    const own = rows.filter(({ table }) => table === title).map(({ figures }) => figures);
    const heads = [...new Set(own.flatMap((figures) => Object.keys(figures)))];
    const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
    const body = own.map((figures) => line(heads.map((head) => figures[head] ?? "")));
    return [`**${title}**`, "", line(heads), line(heads.map(() => "---")), ...body].join("\n");
  });
}

async function main(names: readonly string[]): Promise<number> {
  if (names[0] === "list") {
    for (const part of PARTS) process.stdout.write(`${part.name.padEnd(14)} ${part.title} (${commandOf(part)})\n`);
    return 0;
  }
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`Cannot run "${unknown}": the benchmarks are ${PARTS.map(({ name }) => name).join(", ")}\n`);
    return 2;
  }
  const kept = new Map<string, Measured>(
    (existsSync(JSON_FILE) ? (JSON.parse(readFileSync(JSON_FILE, "utf8")) as Measured[]) : []).map((part) => [
      part.name,
      part,
    ]),
  );
  let failed = 0;
  for (const part of PARTS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const measured = await measure(part);
    if (measured.exitCode !== 0) failed += 1;
    kept.set(part.name, measured);
    const all = PARTS.flatMap(({ name }) => kept.get(name) ?? []);
    writeFileSync(JSON_FILE, `${JSON.stringify(all, undefined, 1)}\n`);
    writeFileSync(MARKDOWN_FILE, reportOf(all));
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
