import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

const SOURCES = join(import.meta.dir, "../../../plugins/web/editing/browser");

/** HTML as the rich editor would write it without an edit. */
export interface RoundTrip {
  readonly html: string;
  /** Whether both have the same tree. */
  readonly isSame: boolean;
  /** Parts that are shown and not edited: those that always are, such as frames, and blocks that the schema would change. */
  readonly whole: number;
  readonly keptBlocks: number;
}

/** Opens HTML in the rich editor's schema, in a browser, and writes it again. Takes a page of any document. */
export async function richRoundTrips(page: Page, bodies: readonly string[]): Promise<readonly RoundTrip[]> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-rich-"));
  try {
    const entry = join(folder, "entry.ts");
    const from = (name: string) => JSON.stringify(join(SOURCES, name));
    writeFileSync(
      entry,
      `import { differs } from ${from("compare.ts")};
import { readHtml } from ${from("reader.ts")};
import { PAGES } from ${from("schema.ts")};
import { toHtml } from ${from("writer.ts")};
globalThis.roundTrip = (before) => {
  const { doc, keptBlocks } = readHtml(PAGES, before);
  doc.check();
  let whole = 0;
  doc.descendants(({ type }) => { whole += type.name.startsWith("kept") ? 1 : 0; });
  const html = toHtml(doc);
  return { html, isSame: !differs(before, html), whole, keptBlocks };
};`,
    );
    const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife" });
    await page.evaluate((await outputs[0]?.text()) ?? "");
    return (await page.evaluate(`${JSON.stringify(bodies)}.map(roundTrip)`)) as RoundTrip[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
