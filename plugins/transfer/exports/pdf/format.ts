/**
 * PDF (content-api 15.4). By default Typst makes it, in a process of its own that is killed when it takes too long or too
 * much; an operator may name another command instead, such as Chromium or WeasyPrint, which is given one HTML file. A
 * few at a time: what waits costs nothing. Where there is no engine, the answer says what to install.
 */
import { existsSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExportFormat, Exporting, Markup } from "lectern/contracts";
import { ApiError, type Children, type Log, noRoomError, Semaphore } from "lectern/core";
import { writeHtml } from "../html.ts";
import { EXITS, FILES } from "../typst/job.ts";
import type { Paper } from "../typst/template.ts";
import { filledIn, wordsOf } from "./command.ts";
import { writeJob } from "./job.ts";
import { type Ended, runLimited } from "./process.ts";

/** What PDFs are made with. */
export interface PdfParts {
  readonly markup: Markup;
  readonly children: Children;
  readonly log: Log;
  readonly engine: "typst" | "none";
  /** A command with {input_html_path} and {output_pdf_path}; "" for none. */
  readonly command: string;
  readonly paper: Paper;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Writing systems that were told to have no font, so that each is told once. */
type LoggedScripts = Set<string>;

const AT_ONCE = 2;
const MAX_WAITING = 20;
const FONTS = ["noto-sans", "noto-sans-mono", "noto-sans-arabic", "noto-sans-hebrew"];
const MISSING =
  "This instance has no engine for PDF. Its operator can install the package @myriaddreamin/typst-ts-node-compiler, or " +
  "name a command in EXPORT_PDF_COMMAND, such as: weasyprint {input_html_path} {output_pdf_path}";

/** PDF as a format of exports. */
export function pdfFormat(parts: PdfParts): ExportFormat {
  const semaphore = new Semaphore({ permits: AT_ONCE, queue: { maxWaiting: MAX_WAITING, busy } });
  const logged: LoggedScripts = new Set();
  return {
    name: "pdf",
    extension: "pdf",
    async *write(asked) {
      if (parts.command === "" && parts.engine === "none") throw new ApiError(501, MISSING);
      const release = await semaphore.acquire();
      const folder = await mkdtemp(join(tmpdir(), "lectern-pdf-"));
      try {
        await (parts.command === "" ? byTypst(parts, asked, folder, logged) : byCommand(parts, asked, folder));
        yield* Bun.file(join(folder, FILES.result)).stream() as unknown as AsyncIterable<Uint8Array>;
      } finally {
        release();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function byTypst(parts: PdfParts, asked: Exporting, folder: string, logged: LoggedScripts): Promise<void> {
  await writeJob(asked, folder, { ...parts, fonts: fontFolders() });
  const child = join(import.meta.dir, "../typst/child.ts");
  const ended = await runLimited([process.execPath, "--no-install", "run", child, folder], folder, limitsOf(parts));
  if (ended.code === EXITS.missing) {
    parts.log.error("Cannot load the engine for PDF", { errors: ended.errors });
    throw new ApiError(501, MISSING);
  }
  judge(parts, ended);
  if (ended.errors !== "") parts.log.warn("Wrote a part of a PDF as plain text", { errors: ended.errors });
  const missing = Bun.file(join(folder, FILES.missing));
  if (await missing.exists()) tellMissing(parts.log, (await missing.json()) as Record<string, string>, logged);
}

/** Says once for each writing system that PDFs show empty boxes in its place. */
function tellMissing(log: Log, missing: Readonly<Record<string, string>>, logged: LoggedScripts): void {
  for (const [script, letter] of Object.entries(missing)) {
    if (logged.has(script)) continue;
    logged.add(script);
    log.warn("Cannot show a writing system in PDFs: install a font that has it, such as Debian's fonts-noto-cjk", {
      script,
      letter,
    });
  }
}

async function byCommand(parts: PdfParts, asked: Exporting, folder: string): Promise<void> {
  const input = join(folder, "in.html");
  const file = await open(input, "wx", 0o600);
  try {
    for await (const piece of writeHtml(asked, parts, { format: "pdf", engine: "command" }))
      await file.writeFile(piece);
  } finally {
    await file.close();
  }
  const command = filledIn(wordsOf(parts.command), input, join(folder, FILES.result));
  if (Bun.which(command[0] ?? "") === null) {
    parts.log.error("Cannot find the command for PDF", { command: command[0] });
    throw new ApiError(501, MISSING);
  }
  judge(parts, await runLimited(command, folder, limitsOf(parts)));
  if (!existsSync(join(folder, FILES.result))) throw new ApiError(500, "The command for PDF made no file");
}

function judge({ log, seconds, megabytes }: PdfParts, ended: Ended): void {
  if (ended.how === "timeout")
    throw new ApiError(500, `The PDF was not ready within ${seconds} seconds; export its parts by themselves`);
  if (ended.how === "memory")
    throw new ApiError(500, `The PDF needs more than ${megabytes} MB of memory; export its parts by themselves`);
  if (ended.code === 0) return;
  log.error("Cannot make a PDF", { code: ended.code, errors: ended.errors });
  // What ended without a word that we know can only be asked by the words it wrote.
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(ended.errors)) throw noRoomError();
  throw new ApiError(500, "The PDF could not be made");
}

function limitsOf({ seconds, megabytes }: PdfParts) {
  return { timeoutMs: seconds * 1000, maxBytes: megabytes * 1024 * 1024 };
}

/** Packages of fonts that are installed; the engine finds those of the system by itself. */
function fontFolders(): string[] {
  return FONTS.flatMap((name) => {
    try {
      return [dirname(Bun.resolveSync(`@expo-google-fonts/${name}/package.json`, import.meta.dir))];
    } catch {
      return [];
    }
  });
}

function busy(): ApiError {
  const headers = { "retry-after": "60" };
  return new ApiError(503, "Too many PDFs are waiting to be made; try again in a minute", { headers });
}
