/**
 * `bun test/bench/shape.ts`: how large the source is and how many concepts it has, counted from its text: lines by part, imports
 * against the order of the layers, what an author of plugins meets (members, grants, slots, variables), casts, and what is written in
 * more than one way. `--list` also prints the places of what should become fewer. It reads files and starts nothing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../core/config.ts";
import { GRANT_KINDS } from "../../core/runtime/grant_kinds.ts";
import { RECORDED_KINDS } from "../../core/runtime/recorded.ts";
import shipped from "../../plugins/mod.ts";
import { CORE, DB, largestCycle, upwardImports } from "../rules/_layers.ts";
import { findAll, ROOT, readSources, type Source } from "../rules/_source.ts";
import { testSide } from "../rules/_tests.ts";

/** What `setup` registers: a grant of such a kind would repeat it. */
const REPEATED = new Set<string>(RECORDED_KINDS);
/** Plugins whose settings are about signing in. */
const SIGN_IN: ReadonlySet<string> = new Set(["sessions", "throttle", "tokens"]);

const isListed = process.argv.includes("--list");
const everything = readSources();
const tests = testSide(everything);
const product = everything.filter(({ path }) => !tests.has(path) && /^(?:core|db|plugins|themes)\//.test(path));

function out(line = ""): void {
  process.stdout.write(`${line}\n`);
}

function figure(label: string, value: number | string, places: readonly string[] = []): void {
  out(`${label.padEnd(72)} ${value}`);
  if (isListed) for (const place of places) out(`    ${place}`);
}

function lines(within: RegExp, but?: RegExp): number {
  const counted = product.filter(({ path }) => within.test(path) && !but?.test(path));
  return counted.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
}

/** The text between the braces that open at or after a place of the code. */
function block({ code }: Source, from: number): string {
  const start = code.indexOf("{", from);
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code[at] === "{") depth += 1;
    if (code[at] === "}") depth -= 1;
    if (depth === 0) return code.slice(start + 1, at);
  }
  return "";
}

/** The names of the members of an interface, wherever it is declared. */
function members(name: string, sources: readonly Source[] = product): string[] {
  const declared = new RegExp(`\\binterface ${name}\\b`, "g");
  const names = sources.flatMap((source) =>
    [...source.code.matchAll(declared)].flatMap(({ index }) => {
      const body = block(source, index + source.code.slice(index).search(/[^,=] \{\n?|\{$/m));
      let depth = 0;
      return body.split("\n").flatMap((line) => {
        const member = depth === 0 ? /^\s*(?:readonly )?([\w$]+|"[^"]*")\??\s*[<(:]/.exec(line)?.[1] : undefined;
        for (const char of line.replaceAll("=>", "")) {
          if ("{([<".includes(char)) depth += 1;
          if ("})]>".includes(char)) depth -= 1;
        }
        return member === undefined ? [] : [member];
      });
    }),
  );
  return [...new Set(names)];
}

/** Places of a pattern in the code of the product. */
function places(pattern: RegExp, within = /./): string[] {
  return product.filter(({ path }) => within.test(path)).flatMap(({ path, code }) => findAll(path, code, pattern, ""));
}

/** The same in the text, for what stands in literals. */
function textPlaces(pattern: RegExp, within = /./): string[] {
  return product.filter(({ path }) => within.test(path)).flatMap(({ path, text }) => findAll(path, text, pattern, ""));
}

out("# Lines");
figure("core, without tests", lines(/^core\//));
figure("core without cli and std (at most 12,000)", lines(/^core\//, /^core\/(?:cli|std)\//));
figure("core/runtime, core/events and core/resources (at most 4,500)", lines(/^core\/(?:runtime|events|resources)\//));
figure("db", lines(/^db\//));
figure("plugins", lines(/^plugins\//));
figure("webhooks' hand-outs, attempts and their job", lines(/webhooks\/(?:hand_out|attempts|deliver)\.ts$/));
figure("README.md (at most 250)", readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length - 1);

out("\n# Layers");
for (const layered of [CORE, DB]) {
  const upward = upwardImports(layered, product);
  const shown = upward.map(({ path, line, target, isType }) => `${path}:${line}: ${target}${isType ? " (types)" : ""}`);
  figure(`imports upward in ${layered.place}, by value and type`, upward.length, shown);
  const pairs = [...new Set(upward.map(({ from, to }) => `${from} -> ${to}`))].sort();
  figure(`pairs of layers that they are between in ${layered.place}`, pairs.length, pairs);
  const cycle = largestCycle(layered, product);
  figure(`layers of ${layered.place} in one cycle, by value`, cycle.length, cycle);
}

out("\n# What an author meets");
const context = [...new Set([...members("PluginContext"), ...members("ResourceContext")])];
figure("members of the context (at most 30)", context.length, context);
const info = members("RuntimeInfo");
const readers = (member: string) =>
  product.filter(({ path, code }) => /^plugins\//.test(path) && new RegExp(`\\bruntime\\??\\.${member}\\b`).test(code));
const single = info.filter((member) => readers(member).length <= 1);
figure("members of `runtime`", info.length, info);
figure("of these with one reader at most", single.length, single);
figure("kinds of grants (eleven)", GRANT_KINDS.length, GRANT_KINDS);
const declared = product.filter(({ path, code }) => /^plugins\//.test(path) && code.includes("definePlugin({"));
figure("plugins that ship", shipped.length);
const repeated = declared.flatMap((source) => {
  const at = source.code.search(/\n {2}grants: \{/);
  if (at < 0) return [];
  let kind = "";
  return block(source, at)
    .split("\n")
    .flatMap((line) => {
      kind = /^ {4}(\w+):/.exec(line)?.[1] ?? kind;
      return line.trim() !== "" && REPEATED.has(kind) ? [`${source.path}: ${kind}`] : [];
    });
});
figure("lines of grants that repeat what `setup` registers", repeated.length, repeated);
const slots = members("Slots");
const contributed = new Set(textPlacesOf(/\bcontribute(?:<[^>]*>)?\(\s*"(\w+)"/g));
const unused = slots.filter((slot) => !contributed.has(slot) && slot !== "permission");
figure("slots", slots.length, slots);
figure("slots without a contributor that ships", unused.length, unused);
figure("contracts", members("Contracts").length, members("Contracts"));
const variables = variablesOf(() => true);
figure("environment variables", variables.length, variables);
figure("environment variables without those of sign-in (at most 90)", variablesOf((name) => !SIGN_IN.has(name)).length);

out("\n# Types");
figure("casts (`as`, but `as const`)", casts().length);
const unknown = places(/\bas unknown as\b/g);
figure("`as unknown as` (under 40)", unknown.length, unknown);
const given = places(/(?:\bvisit\.|(?<![\w.]))(?:get|find|send)</g, /^plugins\/web\//);
figure("answers whose types screens name by hand", given.length, given);
const written = places(/^(?:export )?interface \w+/gm, /^plugins\/web\//);
figure("interfaces in plugins/web", written.length, written);

out("\n# Said in more than one way");
const races = places(/\bPromise\.race\(/g);
figure("`Promise.race`", races.length, races);
const fields = textPlaces(
  /new ApiError\(422,[^;]{0,200}?validation: \{|localizedError\(422,[^;]{0,200}?validation: \{/g,
);
figure("errors of a field by hand", fields.length, fields);
const units = places(/\b(?:60_000|3_600_000|86_400_000|60 \* 60|24 \* 60|1000 \* 60|60 \* 1000|24 \* 3600)\b/g);
figure("units of time by hand", units.length, units);
const whole = textPlaces(/\b(?:rows|write|flattened)(?:<[^>]*>)?\([^;`]{0,80}sql(?:<[^>]*>)?`/g);
figure("whole `sql` templates", whole.length, whole);
const built = textPlaces(/\bprepared\(\s*["`]/g);
figure("prepared statements", built.length);

/** The first group of each match in the texts of plugins. */
function textPlacesOf(pattern: RegExp): string[] {
  return product.flatMap(({ path, text }) =>
    /^(?:plugins|core)\//.test(path) ? [...text.matchAll(pattern)].map(([, name]) => name ?? "") : [],
  );
}

/** Variables that settings read, of plugins that are chosen and core. */
function variablesOf(isChosen: (plugin: string) => boolean): string[] {
  const schemas = [
    { name: "core", settings: configSchema, env: [] as readonly string[] },
    ...shipped.map(({ name, settings, grants }) => ({ name, settings, env: grants.env ?? [] })),
  ].filter(({ name }) => isChosen(name));
  const names = schemas.flatMap(({ settings, env }) => [
    ...Object.values(settings?.properties ?? {}).flatMap(({ env: variable }) =>
      typeof variable === "string" ? [variable] : [],
    ),
    ...env,
  ]);
  return [...new Set(names)].sort();
}

/** Casts of the product, without renames in imports and exports. */
function casts(): string[] {
  return product.flatMap(({ path, code }) => {
    const body = code.replace(/\b(?:import|export)\s+(?:type\s+)?(?:\{[^}]*\}|\*\s+as\s+\w+)/g, "");
    return findAll(path, body, /\bas\s+(?!const\b)[\w{(["]/g, "");
  });
}
