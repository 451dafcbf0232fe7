/**
 * Pages of the handbook that are made of the declarations: every slot with its shape, an example and its readers, every table
 * that ships with its columns, and what the doors export. They are never edited: `bun test/rules/_handbook_pages.ts` writes them, and a test fails while one
 * differs. Not here: what the pages say, which is in the docstrings of the types, and in plugins/hooks.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_SLOTS } from "./_contracts.ts";
import { columnsOf, type Declaration, declarationAt, relatedTo } from "./_declarations.ts";
import { importsFor } from "./_examples.ts";
import { exportParts } from "./_exports_page.ts";
import { declaredIn, pluginAt, readersOf } from "./_hooks.ts";
import { ROOT, readSources } from "./_source.ts";

/** The folder of the pages, from the top of Lectern. */
export const FOLDER = "plugins/handbook";

/** Slots that plugins do not contribute to, with the reason. */
export const NOT_CONTRIBUTED: Readonly<Record<string, string>> = {
  permission: "The runtime fills it: a plugin names its permissions in `permissions`.",
  theme: "The plugin `themes` fills it with the theme that the operator chose.",
};

const MADE = "<!-- Written by `bun test/rules/_handbook_pages.ts` from the docstrings of the types. -->";

/** A slot that a source of Lectern declares. */
export interface DeclaredSlot {
  readonly name: string;
  readonly path: string;
  /** The type of its contributions; undefined for one that is no type of Lectern, such as `string`. */
  readonly type: Declaration | undefined;
}

/** Every slot, by name. */
export function readSlots(): readonly DeclaredSlot[] {
  return declaredIn(readSources(), "Slots").map(({ name, type, path }) => ({
    name,
    path,
    type: declarationAt(path, type),
  }));
}

/** The pages by file name. */
export function handbookPages(): ReadonlyMap<string, string> {
  return new Map([
    ["exports.md", exportsPage()],
    ["slots.md", slotsPage()],
    ["tables.md", tablesPage()],
  ]);
}

function exportsPage(): string {
  return page([
    MADE,
    "# Exports",
    "Functions, classes and constants that plugins import, each with its first sentence; the editor shows the rest, with an example. " +
      "`lectern/core` moreover has `sql` of Kysely, `t` of TypeBox and `elysiaTypes`, the `t` of Elysia.",
    ...exportParts(),
  ]);
}

function slotsPage(): string {
  const purposes = purposesOf(readFileSync(join(ROOT, "plugins/hooks.md"), "utf8"));
  return page([
    MADE,
    "# Slots",
    "What a contribution to each slot looks like, and who reads it. A plugin calls " +
      "`contribute(NAME, value)` in `setup`; slots need no `requires`. A contribution of another shape stops the boot. In the examples `context` is what " +
      "`setup` gets. What a failure does is in [hooks.md](../hooks.md#when-a-contribution-fails).",
    ...readSlots().flatMap(({ name, path, type }) => [
      `## \`${name}\``,
      `${purposes.get(name) ?? ""}.${NOT_CONTRIBUTED[name] ? ` ${NOT_CONTRIBUTED[name]}` : ""}`,
      `Read by ${readersOf(name) || "the runtime"}. Declared in [${path}](${linkTo(type?.path ?? path)})${
        SERVICE_SLOTS.includes(name) ? `; its members one by one are on [a page](contracts/slots.md#${name}).` : "."
      }`,
      ...(type?.examples.map((code) => fenced([importsFor(code), code].filter(Boolean).join("\n\n"))) ?? []),
      type ? fenced([type.text, ...relatedTo(type)].join("\n\n")) : "",
    ]),
  ]);
}

function tablesPage(): string {
  const tables = declaredIn(readSources(), "Tables").filter(({ path }) => !path.startsWith("core/cli/"));
  return page([
    MADE,
    "# Tables",
    "The tables that ship, with their columns as Kysely types them: `Generated` columns have a default, `GeneratedAlways` ones are computed. A plugin reads a " +
      "table that it names in `read` of its `grants`, single columns by `columns`, and rows on behalf of a user by `visible`. Changes of content, users and " +
      "roles go through the API by `callAs`, since events, permissions and derived columns belong to them. Columns are only added within a major version.",
    ...tables.flatMap(({ name, type, path }) => {
      const declared = declarationAt(path, type);
      const columns = columnsOf(path, type);
      return [
        `## \`${name}\``,
        `${declared?.doc ?? ""} Of ${ownerOf(path)}: [${declared?.path ?? path}](${linkTo(declared?.path ?? path)}).`.trim(),
        [
          "| Column | Type | |",
          "| --- | --- | --- |",
          ...columns.map((column) => `| \`${column.name}\` | \`${cell(column.type)}\` | ${cell(column.doc)} |`),
        ].join("\n"),
      ];
    }),
  ]);
}

function ownerOf(path: string): string {
  return path.startsWith("plugins/") ? `the plugin \`${pluginAt(path)}\`` : "the runtime";
}

/** Purposes by slot, from the table of slots in hooks.md. */
function purposesOf(hooks: string): ReadonlyMap<string, string> {
  const rows = hooks.matchAll(/^\| `(\w+)` \| \[[^|]*\| [^|]* \| ([^|\n]*) \|$/gm);
  // Links are those of another folder.
  return new Map(
    [...rows].map(([, name = "", purpose = ""]) => [name, purpose.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")]),
  );
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function linkTo(path: string): string {
  return path.startsWith("plugins/") ? `../${path.slice("plugins/".length)}` : `../../${path}`;
}

function fenced(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

function page(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

if (import.meta.main) for (const [name, text] of handbookPages()) writeFileSync(join(ROOT, FOLDER, name), text);
