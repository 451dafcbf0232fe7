/**
 * Makes a PDF in a process of its own: `bun child.ts FOLDER`. The folder holds the job and gets the result. Neither
 * memory nor time is watched here: whoever started the process does that, and ends it. It knows nothing of the house and
 * is given nothing of its environment.
 */
import { basename, join } from "node:path";
import { writeDocument } from "./document.ts";
import { EXITS, FILES, type Job } from "./job.ts";

type Engine = typeof import("@myriaddreamin/typst-ts-node-compiler");

/** Items that are written again as plain text before the document is given up. */
const MOST_TRIES = 20;

async function engine(): Promise<Engine | undefined> {
  try {
    return await import("@myriaddreamin/typst-ts-node-compiler");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

async function main(folder: string): Promise<number> {
  const found = await engine();
  if (!found) return EXITS.missing;
  const job = (await Bun.file(join(folder, FILES.job)).json()) as Job;
  const asPlainText = await writeDocument(folder, job);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const compiler = found.NodeCompiler.create({ workspace: folder, fontArgs: [{ fontPaths: [...job.fonts] }] });
    const compiled = compiler.compile({ mainFilePath: join(folder, FILES.main) });
    if (compiled.result) {
      await Bun.write(join(folder, FILES.result), compiler.pdf(compiled.result));
      return EXITS.done;
    }
    const faults = compiled.takeDiagnostics()?.shortDiagnostics as { message: string; path: string }[] | undefined;
    const file = faults?.map(({ path }) => basename(path)).find((name) => name.startsWith("item-"));
    process.stderr.write(`${file}: ${faults?.[0]?.message}\n`);
    if (file === undefined || !(await asPlainText(file))) return EXITS.refused;
  }
  return EXITS.refused;
}

process.exit(await main(process.argv[2] ?? "."));
