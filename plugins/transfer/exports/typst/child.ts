/**
 * Renders a PDF in a child process: `bun child.ts FOLDER`. The folder contains the job and receives the result. The parent
 * process limits memory and time. The child does not load the runtime and gets none of its environment variables.
 */
import { basename, join } from "node:path";
import { writeDocument } from "./document.ts";
import { EXITS, FILES, type Job } from "./job.ts";
import { missingScripts } from "./missing_glyphs.ts";
import { literal } from "./text.ts";

type Engine = typeof import("@myriaddreamin/typst-ts-node-compiler");

/** How many items are replaced by plain text before the document fails. */
const MAX_ATTEMPTS = 20;

async function loadEngine(): Promise<Engine | undefined> {
  try {
    return await import("@myriaddreamin/typst-ts-node-compiler");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

/** Writes the names of writing systems whose letters no font has, if any, into `missing.json`. */
async function writeMissingScripts(
  folder: string,
  job: Job,
  compiler: InstanceType<Engine["NodeCompiler"]>,
): Promise<void> {
  const texts = await Promise.all(
    job.items.map(async ({ name, html }) => name + (await Bun.file(join(folder, html)).text())),
  );
  const missing = missingScripts(texts.join(""), (letter) => {
    const mainFileContent = `#set page(width: 40pt, height: 40pt, margin: 0pt)\n${literal(letter)}`;
    const { result } = compiler.compile({ mainFileContent });
    return result ? /href="#(g[^"]+)"/.exec(compiler.plainSvg(result))?.[1] : undefined;
  });
  if (Object.keys(missing).length > 0) await Bun.write(join(folder, FILES.missing), JSON.stringify(missing));
}

async function main(folder: string): Promise<number> {
  const engine = await loadEngine();
  if (!engine) return EXITS.missing;
  const job = (await Bun.file(join(folder, FILES.job)).json()) as Job;
  const writeAsPlainText = await writeDocument(folder, job);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const compiler = engine.NodeCompiler.create({ workspace: folder, fontArgs: [{ fontPaths: [...job.fonts] }] });
    const compiled = compiler.compile({ mainFilePath: join(folder, FILES.main) });
    if (compiled.result) {
      await Bun.write(join(folder, FILES.result), compiler.pdf(compiled.result));
      await writeMissingScripts(folder, job, compiler);
      return EXITS.done;
    }
    const errors = compiled.takeDiagnostics()?.shortDiagnostics as { message: string; path: string }[] | undefined;
    const file = errors?.map(({ path }) => basename(path)).find((name) => name.startsWith("item-"));
    process.stderr.write(`${file}: ${errors?.[0]?.message}\n`);
    if (file === undefined || !(await writeAsPlainText(file))) return EXITS.refused;
  }
  return EXITS.refused;
}

process.exit(await main(process.argv[2] ?? "."));
