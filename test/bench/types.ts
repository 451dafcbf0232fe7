/**
 * `bun test/bench/types.ts [plugins]`: what the compiler has to do, counted in instantiations of types (hardly different from run to run)
 * and in seconds: for the whole repository, and for each of so many plugins (10) as `new plugin` writes them, which is what
 * an author of plugins pays for the types of the core.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const plugins = Number(process.argv[2] ?? 10);
const home = mkdtempSync(join(tmpdir(), "lectern-types-"));

interface Cost {
  readonly instantiations: number;
  readonly types: number;
  readonly seconds: number;
}

try {
  report("repository", await compile(ROOT));
  const none = await compile(await written(0));
  const all = await compile(await written(plugins));
  report("no plugin, the doors alone", none);
  report(`one of ${plugins} plugins beside`, {
    instantiations: (all.instantiations - none.instantiations) / plugins,
    types: (all.types - none.types) / plugins,
    seconds: (all.seconds - none.seconds) / plugins,
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A folder with so many plugins, and one file that imports what each of them starts from. */
async function written(count: number): Promise<string> {
  const folder = join(home, `with_${count}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "doors.ts"), 'import "lectern/core";\nimport "lectern/db";\nimport "lectern/test";\n');
  const { compilerOptions: ours } = await Bun.file(join(ROOT, "tsconfig.json")).json();
  const paths = Object.fromEntries(
    Object.entries<string[]>(ours.paths).map(([door, files]) => [door, files.map((file) => join(ROOT, file))]),
  );
  const compilerOptions = { paths, typeRoots: [join(ROOT, "node_modules")], types: ["bun-types"] };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, files: [], include: ["."] }),
  );
  for (let at = 0; at < count; at++) {
    const made = Bun.spawn([process.execPath, join(ROOT, "core/cli.ts"), "new", "plugin", `bench_notes_${at}`], {
      cwd: folder,
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await made.exited) !== 0) throw new Error("Cannot write a plugin");
  }
  return folder;
}

/** What the compiler says of a project; one thread, so that the counts do not depend on how files are shared out. */
async function compile(folder: string): Promise<Cost> {
  const options = ["--noEmit", "--extendedDiagnostics", "--singleThreaded", "-p", folder];
  const tsc = Bun.spawn([process.execPath, "x", "tsc", ...options], { cwd: ROOT, stdout: "pipe" });
  const said = await new Response(tsc.stdout).text();
  if ((await tsc.exited) !== 0) throw new Error(`Cannot compile ${folder}:\n${said}`);
  const of = (name: string) => Number.parseFloat(new RegExp(`^${name}:\\s*([\\d.]+)`, "m").exec(said)?.[1] ?? "NaN");
  return { instantiations: of("Instantiations"), types: of("Types"), seconds: of("Total time") };
}

function report(what: string, { instantiations, types, seconds }: Cost): void {
  const counts = `${Math.round(instantiations)} instantiations, ${Math.round(types)} types`;
  process.stdout.write(`${what.padEnd(32)} ${counts}, ${seconds.toFixed(2)} s\n`);
}
