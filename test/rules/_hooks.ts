/**
 * The hooks of Lectern as the sources declare them: what is merged into `Events`, `Slots` and `Contracts`, who performs,
 * walks and provides. The rule of hooks compares `plugins/hooks.md` with it. Declarations are read as
 * text, by the code of `readSource`, which is right for formatted code; who performs and provides is asked of the plugins.
 */
import { isOwnContract } from "../../core/runtime/own_contracts.ts";
import plugins from "../../plugins/mod.ts";
import { isTest, readSources, type Source } from "./_source.ts";

/** A name merged into an open interface, its type as written, and the file that says so. */
export interface Declared {
  readonly name: string;
  readonly type: string;
  readonly path: string;
}

/** An interface that plugins widen by declaration merging. */
export type OpenInterface = "Events" | "Slots" | "Contracts" | "Tables" | "Places" | "Views" | "ThemeHooks";

/** What the sources merge into an open interface, by name. */
export function declaredIn(sources: readonly Source[], which: OpenInterface): Declared[] {
  return sources
    .filter(({ path }) => !isTest(path))
    .flatMap((source) =>
      [...source.code.matchAll(new RegExp(`\\binterface ${which}\\b([^{]*)\\{`, "g"))].flatMap((match) => {
        const start = match.index + match[0].length;
        const heritage = source.text.slice(match.index, start);
        return [...resourceEvents(heritage), ...membersOf(source, start)].map((each) => ({
          ...each,
          path: source.path,
        }));
      }),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The three events of `extends ResourceEvents<"book", Create, Update, Row>`. */
function resourceEvents(heritage: string): { name: string; type: string }[] {
  const found = /\bResourceEvents<"(\w+)", (\w+), (\w+), (\w+)>/.exec(heritage);
  if (!found) return [];
  const [, name, create, update, row] = found;
  return [
    { name: `${name}_create`, type: `{ draft: ${create}; result: ${row} }` },
    { name: `${name}_update`, type: `{ draft: { row: ${row}; draft: ${update} }; result: ${row} }` },
    { name: `${name}_delete`, type: `{ draft: ${row}; result: ${row} }` },
  ];
}

/** The members of the braces that opened just before `start`; comments between them are blank in the code. */
function membersOf({ code, text }: Pick<Source, "code" | "text">, start: number): { name: string; type: string }[] {
  const members: { name: string; type: string }[] = [];
  for (let at = start; ; ) {
    const head = /^\s*(?:\w+|"[^"]*"): /.exec(code.slice(at));
    if (!head) return members;
    const from = at + head[0].length;
    // Texts are blank in the code, names in quotes too.
    const name = text.slice(at + head[0].search(/\S/), from).replace(/[":\s]/g, "");
    let depth = 0;
    let end = from;
    for (; depth > 0 || (code[end] !== ";" && code[end] !== "}"); end++)
      depth += "{(<[".includes(code[end] ?? "") ? 1 : "})>]".includes(code[end] ?? "") ? -1 : 0;
    members.push({ name, type: text.slice(from, end).replace(/\s+/g, " ").trim() });
    at = code[end] === ";" ? end + 1 : end;
  }
}

/** The draft and the result of an event's type. */
function sidesOf(type: string): { draft: string; result: string } {
  const sides = membersOf({ code: type, text: type }, 1);
  const side = (name: string) => sides.find((each) => each.name === name)?.type ?? "";
  return { draft: side("draft"), result: side("result") };
}

/** Cells of each event but the last one, which is written by hand. */
export function eventRows(sources: readonly Source[]): string[][] {
  return declaredIn(sources, "Events").map(({ name, type, path }) => {
    const { draft, result } = sidesOf(type);
    const performers = plugins.filter(({ events }) => (events as readonly string[]).includes(name));
    const by = name === "app_boot" || name === "plugin_purge" ? ["core"] : performers.map((plugin) => plugin.name);
    return [code(name), code(draft), code(result), link(by.join(", "), path)];
  });
}

/** The same of each slot. */
export function slotRows(sources: readonly Source[]): string[][] {
  return declaredIn(sources, "Slots").map(({ name, type, path }) => [
    code(name),
    link(code(type), path),
    readersOf(name, sources),
  ]);
}

/** The plugins that read a slot, by name. */
export function readersOf(slot: string, sources: readonly Source[] = readSources()): string {
  const walked = new RegExp(`\\b(?:slot|slots\\.get)\\(\\s*"${slot}"`, "g");
  // Examples in docstrings are blank in the code.
  const reads = ({ code, text }: Source) =>
    [...text.matchAll(walked)].some(({ index }) => code.startsWith("slot", index));
  return ownersOf(sources.filter(reads));
}

/** The same of each contract; its name links to its page of the handbook. */
export function contractRows(sources: readonly Source[]): string[][] {
  return declaredIn(sources, "Contracts").map(({ name, type, path }) => {
    const providers = plugins.filter(({ provides }) => (provides as readonly string[]).includes(name));
    const page = `plugins/handbook/contracts/${name}.md`;
    const by = isOwnContract(name) ? ["core"] : providers.map((plugin) => plugin.name);
    return [link(code(name), page), link(code(type), path), by.join(", ")];
  });
}

/** The same of each hook of the theme system: its name and the plugin that contributes it. */
export function themeHookRows(sources: readonly Source[]): string[][] {
  return declaredIn(sources, "ThemeHooks").map(({ name, path }) => [code(name), link(pluginAt(path) ?? "core", path)]);
}

/** Cells of each place or view but the last one: its data, and the plugin that declares it. */
export function screenRows(sources: readonly Source[], which: "Places" | "Views"): string[][] {
  return declaredIn(sources, which).map(({ name, type, path }) => [
    code(name),
    link(code(type.replace(/\breadonly (?=\w+\??:)/g, "")), path),
    pluginAt(path) ?? "core",
  ]);
}

/** Who the files belong to: the plugin that is declared in their folder, else the runtime. */
function ownersOf(sources: readonly Source[]): string {
  const owners = sources
    .filter(({ path }) => /^(?:core|plugins|themes)\//.test(path) && !isTest(path))
    .map(({ path }) => pluginAt(path) ?? "core");
  return [...new Set(owners)].sort().join(", ");
}

/** The name of the plugin whose folder a file lies in. */
export function pluginAt(path: string): string | undefined {
  const folder = /^plugins\/(?:themes|[^/]+\/[^/]+)\//.exec(path)?.[0];
  const text = readSources().find((source) => source.path === `${folder}plugin.ts`)?.text ?? "";
  return /\bname: "(\w+)"/.exec(text)?.[1];
}

function code(type: string): string {
  return `\`${type.replaceAll("|", "\\|")}\``;
}

/** Files are named as seen from the folder `plugins`. */
function link(label: string, path: string): string {
  return `[${label}](${path.startsWith("plugins/") ? path.slice("plugins/".length) : `../${path}`})`;
}

/** Rows of the table below a heading, as cells; escaped bars are no ends of cells. */
export function tableBelow(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
