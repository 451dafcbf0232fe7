/** The tutorial of plugins/handbook as data: its blocks of code, and the files that they make. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

/** A block of code. */
export interface TutorialBlock {
  readonly language: string;
  readonly text: string;
  /** The file that the text before the block names last. */
  readonly file: string | undefined;
}

const PARTS = readFileSync(join(ROOT, "plugins/handbook/tutorial.md"), "utf8").split(/^## \d\. .*$/m);

/** The blocks of a numbered section, in order. */
export function tutorialBlocks(section: number): TutorialBlock[] {
  const parts = (PARTS[section] ?? "").split(/^```(\w+)\n([\s\S]*?)^```$/m);
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, at) => ({
    file: parts[at * 3]?.match(/(?<=`)[\w./-]+\.(?:ts|json)(?=`)/g)?.at(-1),
    language: parts[at * 3 + 1] ?? "",
    text: parts[at * 3 + 2] ?? "",
  }));
}

/** Writes the files of a section into a folder; later ones replace earlier ones. */
export function writeTutorialFiles(section: number, folder: string): void {
  for (const { file, language, text } of tutorialBlocks(section)) {
    if (language === "sh" || file === undefined) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text.replaceAll("$LECTERN", ROOT));
  }
}
