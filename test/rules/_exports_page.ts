/** The page of the handbook with what the doors export to plugins: each function, class and constant with the first sentence of its docstring. */
import { readDoc } from "./_contracts.ts";
import { DOORS, docstringOf } from "./_examples.ts";
import { readSources } from "./_source.ts";
import { targetOf } from "./_tests.ts";

/** An export of a door. */
interface Export {
  readonly name: string;
  readonly about: string;
}

/** The parts of the page, below its heading. */
export function exportParts(): readonly string[] {
  return Object.entries(DOORS).flatMap(([door, { path, values }]) => [
    `## \`${door}\``,
    [
      "| Export | |",
      "| --- | --- |",
      ...exportsOf(path, values).map(({ name, about }) => `| \`${name}\` | ${about.replaceAll("|", "\\|")} |`),
    ].join("\n"),
  ]);
}

/** What a door exports by name from files of Lectern, with names that are no types. */
function exportsOf(path: string, values: Readonly<Record<string, unknown>>): Export[] {
  const door = readSources().find((source) => source.path === path)?.text ?? "";
  const found: Export[] = [];
  for (const [, list = "", specifier = ""] of door.matchAll(/export\s*\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g)) {
    const from = readSources().find((source) => source.path === targetOf(path, specifier));
    for (const name of list.split(",").map((each) => each.trim()))
      if (from && name in values) found.push({ name, about: firstSentence(readDoc(docstringOf(from, name)).text) });
  }
  return found.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

function firstSentence(text: string): string {
  const [paragraph = ""] = text.split("\n\n");
  return paragraph.split(/(?<=\.) (?=[A-Z`"])/)[0] ?? "";
}
