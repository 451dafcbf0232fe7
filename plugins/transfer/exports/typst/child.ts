/**
 * Makes a PDF in a process of its own: `bun child.ts FOLDER`. The folder holds the job and gets the result. Neither
 * memory nor time is watched here: whoever started the process does that, and ends it. It knows nothing of the runtime and
 * is given nothing of its environment.
 */
import { basename, join } from "node:path";
import { writeDocument } from "./document.ts";
import { EXITS, FILES, type Job } from "./job.ts";
import { missingScripts } from "./missing_letters.ts";
import { literal } from "./text.ts";

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

/** Writes down which writing systems are drawn as empty boxes, if any. */
async function tellMissing(folder: string, job: Job, compiler: InstanceType<Engine["NodeCompiler"]>): Promise<void> {
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
  const found = await engine();
  if (!found) return EXITS.missing;
  const job = (await Bun.file(join(folder, FILES.job)).json()) as Job;
  const asPlainText = await writeDocument(folder, job);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const compiler = found.NodeCompiler.create({ workspace: folder, fontArgs: [{ fontPaths: [...job.fonts] }] });
    const compiled = compiler.compile({ mainFilePath: join(folder, FILES.main) });
    if (compiled.result) {
      await Bun.write(join(folder, FILES.result), compiler.pdf(compiled.result));
      await tellMissing(folder, job, compiler);
      return EXITS.done;
    }
    const errors = compiled.takeDiagnostics()?.shortDiagnostics as { message: string; path: string }[] | undefined;
    const file = errors?.map(({ path }) => basename(path)).find((name) => name.startsWith("item-"));
    process.stderr.write(`${file}: ${errors?.[0]?.message}\n`);
    if (file === undefined || !(await asPlainText(file))) return EXITS.refused;
  }
  return EXITS.refused;
}

process.exit(await main(process.argv[2] ?? "."));
