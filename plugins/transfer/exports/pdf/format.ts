/**
 * The export format `pdf` (content-api 15.4). By default Typst renders it in a child process with limits on time and memory;
 * an operator may configure another command, such as Chromium or WeasyPrint, which gets one HTML file. Concurrency is
 * limited. Where no engine is installed, the error says what to install.
 */
import { existsSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExportFormat, Exporting, Markup } from "lectern/contracts";
import { ApiError, type Children, type Log, noRoomError, SECOND_MS, Semaphore } from "lectern/core";
import { type ShowPage, writeHtml } from "../html.ts";
import { EXITS, FILES } from "../typst/job.ts";
import type { Paper } from "../typst/template.ts";
import { fillPlaceholders, splitWords } from "./command.ts";
import { writeJob } from "./job.ts";
import { type ProcessResult, runLimited } from "./process.ts";

/** Services and settings of the format. */
export interface PdfOptions {
  readonly markup: Markup;
  readonly children: Children;
  readonly show: ShowPage;
  readonly log: Log;
  /** A command with the placeholders {input_html_path} and {output_pdf_path}; "" for Typst, "none" for no PDFs. */
  readonly command: string;
  readonly paper: Paper;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Writing systems for which a missing font has been logged, so that each is logged once. */
type LoggedScripts = Set<string>;

/** The command of an instance that makes no PDFs. */
const NO_PDFS = "none";
const AT_ONCE = 2;
const MAX_WAITING = 20;
const FONTS = ["noto-sans", "noto-sans-mono", "noto-sans-arabic", "noto-sans-hebrew"];
const NO_ENGINE =
  "This instance has no engine for PDF. Its operator can install the package @myriaddreamin/typst-ts-node-compiler, or " +
  "name a command in EXPORT_PDF_COMMAND, such as: weasyprint {input_html_path} {output_pdf_path}";

/** PDF as a format of exports. */
export function pdfFormat(options: PdfOptions): ExportFormat {
  const semaphore = new Semaphore({ name: "pdf", permits: AT_ONCE, queue: { maxWaiting: MAX_WAITING, busy } });
  const logged: LoggedScripts = new Set();
  return {
    name: "pdf",
    extension: "pdf",
    async *write(request) {
      if (options.command === NO_PDFS) throw new ApiError(501, NO_ENGINE);
      const release = await semaphore.acquire();
      const folder = await mkdtemp(join(tmpdir(), "lectern-pdf-"));
      try {
        await (options.command === ""
          ? renderWithTypst(options, request, folder, logged)
          : renderWithCommand(options, request, folder));
        yield* Bun.file(join(folder, FILES.result)).stream() as AsyncIterable<Uint8Array>;
      } finally {
        release();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function renderWithTypst(
  options: PdfOptions,
  request: Exporting,
  folder: string,
  logged: LoggedScripts,
): Promise<void> {
  await writeJob(request, folder, { ...options, fonts: fontFolders() });
  const child = join(import.meta.dir, "../typst/child.ts");
  const result = await runLimited([process.execPath, "--no-install", "run", child, folder], folder, limitsOf(options));
  if (result.code === EXITS.missing) {
    options.log.error("Cannot load the engine for PDF", { errors: result.errors });
    throw new ApiError(501, NO_ENGINE);
  }
  checkResult(options, result);
  if (result.errors !== "") options.log.warn("Wrote a part of a PDF as plain text", { errors: result.errors });
  const missing = Bun.file(join(folder, FILES.missing));
  if (await missing.exists()) logMissingScripts(options.log, (await missing.json()) as Record<string, string>, logged);
}

/** Logs, once for each writing system, that no font has its letters, which PDFs then show as empty boxes. */
function logMissingScripts(log: Log, missing: Readonly<Record<string, string>>, logged: LoggedScripts): void {
  for (const [script, letter] of Object.entries(missing)) {
    if (logged.has(script)) continue;
    logged.add(script);
    log.warn("Cannot show a writing system in PDFs: install a font that has it, such as Debian's fonts-noto-cjk", {
      script,
      letter,
    });
  }
}

async function renderWithCommand(options: PdfOptions, request: Exporting, folder: string): Promise<void> {
  const input = join(folder, "in.html");
  const file = await open(input, "wx", 0o600);
  try {
    for await (const piece of writeHtml(request, options, { format: "pdf", engine: "command" }))
      await file.writeFile(piece);
  } finally {
    await file.close();
  }
  const command = fillPlaceholders(splitWords(options.command), input, join(folder, FILES.result));
  if (Bun.which(command[0] ?? "") === null) {
    options.log.error("Cannot find the command for PDF", { command: command[0] });
    throw new ApiError(501, NO_ENGINE);
  }
  checkResult(options, await runLimited(command, folder, limitsOf(options)));
  if (!existsSync(join(folder, FILES.result))) throw new ApiError(500, "The command for PDF made no file");
}

function checkResult({ log, seconds, megabytes }: PdfOptions, result: ProcessResult): void {
  if (result.reason === "timeout")
    throw new ApiError(500, `The PDF was not ready within ${seconds} seconds; export its parts by themselves`);
  if (result.reason === "memory")
    throw new ApiError(500, `The PDF needs more than ${megabytes} MB of memory; export its parts by themselves`);
  if (result.code === 0) return;
  log.error("Cannot render a PDF", { code: result.code, errors: result.errors });
  // A full disk can only be recognised by the messages of the process.
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(result.errors)) throw noRoomError();
  throw new ApiError(500, "The PDF could not be made");
}

function limitsOf({ seconds, megabytes }: PdfOptions) {
  return { timeoutMs: seconds * SECOND_MS, maxBytes: megabytes * 1024 * 1024 };
}

/** Folders of the font packages that are installed; Typst finds the fonts of the system by itself. */
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
