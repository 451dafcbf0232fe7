/**
 * The pages of the handbook about contracts: one for each contract, one for the slots of replaceable services. They are made of the
 * declarations, so they are never edited: `bun test/rules/_contract_pages.ts` writes plugins/handbook/contracts, and a test fails
 * while a file there differs. Not here: what the pages say, which is in the docstrings of the interfaces.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOwnContract } from "../../core/runtime/own_contracts.ts";
import plugins from "../../plugins/mod.ts";
import { type Doc, type Member, type RelatedType, readServices, type Service } from "./_contracts.ts";
import { DOORS, importsFor } from "./_examples.ts";
import { pluginAt, readersOf } from "./_hooks.ts";
import { ROOT, readSources } from "./_source.ts";

/** The folder of the pages, from the top of Lectern. */
export const FOLDER = "plugins/handbook/contracts";

/** The page of the slots of replaceable services. */
const SLOTS_PAGE = "slots.md";

const MADE = "<!-- Written by `bun test/rules/_contract_pages.ts` from the docstrings of the interfaces. -->";

/** The pages by file name. */
export function contractPages(): ReadonlyMap<string, string> {
  const services = readServices();
  const contracts = services.filter(({ kind }) => kind === "contract");
  const slots = services.filter(({ kind }) => kind === "slot");
  return new Map([
    ...contracts.map((service): [string, string] => [`${service.name}.md`, contractPage(service)]),
    [SLOTS_PAGE, slotsPage(slots)],
  ]);
}

function contractPage(service: Service): string {
  const { name } = service;
  return page([
    MADE,
    `# Contract \`${name}\``,
    service.text,
    table([
      ["Provided by", isOwnContract(name) ? "the runtime" : pluginList((plugin) => plugin.provides, name)],
      ["Required by", pluginList((plugin) => plugin.requires, name)],
      ["Used if provided by", pluginList((plugin) => plugin.uses, name)],
      ["Interface", interfaceLink(service)],
    ]),
    "## Declaration",
    `\`requires: ["${name}"]\` in \`definePlugin\`: \`setup\` gets the service as \`contracts.${name}\`${isOwnContract(name) ? "." : replacedBy(name)}`,
    service.path.startsWith("core/") ? "" : '`import type {} from "lectern/plugins"` loads its types.',
    ...bodyOf(service, "##"),
  ]);
}

/** What is said of a contract that a plugin provides. */
function replacedBy(name: string): string {
  const declared = `declares \`provides: ["${name}"]\` and calls \`provide("${name}", service)\` in \`setup\``;
  return (
    `, and without a provider the boot stops. With \`uses: ["${name}"]\` it is undefined without a provider. A plugin that replaces ` +
    `the provider ${declared} ([how](../../README.md#replacing-shipped-plugins)).`
  );
}

function slotsPage(slots: readonly Service[]): string {
  return page([
    MADE,
    "# Slots of replaceable services",
    "A contribution to one of these slots stands in for a service of Lectern, or adds to it. A plugin " +
      "calls `contribute(NAME, value)` in `setup`; slots need no `requires`. [plugins/README.md](../../README.md) has the settings that choose a contribution.",
    ...slots.flatMap((slot) => [
      `## \`${slot.name}\``,
      slot.text,
      table([
        ["Read by", readersOf(slot.name)],
        ["Interface", interfaceLink(slot)],
      ]),
      ...bodyOf(slot, "###"),
    ]),
  ]);
}

/** Examples, members and types, below headings of a level. */
function bodyOf(service: Service, level: string): string[] {
  const declared = service.types.filter(({ declaration }) => declaration !== undefined);
  const others = service.types.filter(({ declaration }) => declaration === undefined);
  return [
    service.examples.length > 0 ? `${level} Example` : "",
    ...service.examples.map((code) => example(code, service)),
    `${level} Members`,
    ...service.members.flatMap((member) => memberParts(member, service, `${level}#`)),
    service.types.length > 0 ? `${level} Types` : "",
    others.length > 0 ? `Declared elsewhere: ${others.map((type) => typeLink(type)).join(", ")}.` : "",
    declared.length > 0 ? fenced(declared.map(({ declaration }) => declaration).join("\n\n")) : "",
  ];
}

function memberParts(member: Member, service: Service, level: string): string[] {
  const { text, errors } = withoutErrors(member);
  return [
    `${level} \`${member.name}\``,
    fenced(member.signature),
    text,
    errors ? `**Errors:** ${errors}` : "",
    ...member.examples.map((code) => example(code, service)),
  ];
}

/** The sentences of a docstring that begin with "Throws" or "Rejects", apart from the others. */
export function withoutErrors({ text }: Pick<Doc, "text">): { readonly text: string; readonly errors: string } {
  const isError = (sentence: string) => /^(?:Throws|Rejects)\b/.test(sentence);
  const paragraphs = text.split("\n\n").map((paragraph) => paragraph.split(/(?<=\.) (?=[A-Z`])/));
  const others = paragraphs.map((sentences) => sentences.filter((each) => !isError(each)).join(" "));
  return { text: others.filter(Boolean).join("\n\n"), errors: paragraphs.flat().filter(isError).join(" ") };
}

/** An example; a whole plugin with its imports. */
function example(code: string, { path }: Service): string {
  if (!/^export default /m.test(code)) return fenced(code);
  const types = path.startsWith("core/") ? "" : '\nimport type {} from "lectern/plugins";';
  return fenced(`${importsFor(code)}${types}\n\n${code}`);
}

function interfaceLink({ type, path }: Service): string {
  const door = doorOf(type);
  return `[\`${type}\`](${linkTo(path)})${door ? ` of \`${door}\`` : ""}`;
}

function typeLink({ name, from }: RelatedType): string {
  const door = doorOf(name);
  const label = door ? `\`${name}\` (\`${door}\`)` : `\`${name}\``;
  if (readSources().some(({ path }) => path === from)) return `[${label}](${linkTo(from)})`;
  return door ? label : `\`${name}\` (\`${from}\`)`;
}

/** The address of a file as seen from the pages. */
function linkTo(path: string): string {
  return path.startsWith("plugins/") ? `../../${path.slice("plugins/".length)}` : `../../../${path}`;
}

/** The door that exports a type. */
function doorOf(name: string): string | undefined {
  const exported = new RegExp(`^export (?:(?:type )?\\{[^}]*\\b${name}\\b[^}]*\\}|(?:type|interface) ${name}\\b)`, "m");
  return Object.keys(DOORS).find((door) =>
    exported.test(readSources().find(({ path }) => path === DOORS[door]?.path)?.text ?? ""),
  );
}

function pluginList(names: (plugin: (typeof plugins)[number]) => readonly string[], contract: string): string {
  const found = plugins.filter((plugin) => names(plugin).includes(contract)).map(({ name }) => name);
  return found.sort().map(pluginLink).join(", ");
}

function pluginLink(name: string): string {
  const source = readSources().find(({ path }) => path.endsWith("/plugin.ts") && pluginAt(path) === name);
  return source ? `[${name}](${linkTo(source.path)})` : name;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const filled = rows.filter(([, value]) => value !== "");
  return ["| | |", "| --- | --- |", ...filled.map(([name, value]) => `| ${name} | ${value} |`)].join("\n");
}

function fenced(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

function page(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

if (import.meta.main) {
  const pages = contractPages();
  const folder = join(ROOT, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
}
