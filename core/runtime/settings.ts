import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { BootError } from "../errors.ts";
import { deepFreeze } from "../std/freeze.ts";

/** Other values of constants, by plugin, and those of the runtime under "core". */
export type Constants = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Characters of a value that an error shows. */
const SHOWN = 60;

/**
 * Reads the settings of a plugin or the runtime: the schema's defaults, then `configured` values ("lectern" block of
 * package.json), then the environment variables of `env` options; frozen. A field with `constant: true` is a limit that nobody has a
 * reason to change: neither of them sets it, `constants` does, by which tests make it small. One with `times` is that many times
 * another field unless set. Throws BootError with every invalid setting; values of texts are not in it, since they may be secrets.
 */
export function readSettings<S extends TObject>(
  owner: string,
  schema: S,
  env: Record<string, string | undefined>,
  configured: Record<string, unknown> = {},
  constants: Readonly<Record<string, unknown>> = {},
): Static<S> {
  const given: Record<string, unknown> = { ...configured, ...constants };
  for (const [field, spec] of Object.entries(schema.properties)) {
    const fromEnv = env[variableOf(spec)];
    if (fromEnv !== undefined && fromEnv !== "") given[field] = fromEnv;
  }
  const value = Value.Clean(schema, Value.Convert(schema, Value.Default(schema, { ...given })));
  deriveFields(schema, given, value as Record<string, unknown>);
  const errors = [...Value.Errors(schema, value)].map((error) => {
    const field = error.path.slice(1);
    const variable = variableOf(schema.properties[field] ?? {});
    return `${variable === "" ? field : variable}: ${problemOf(error)}`;
  });
  if (errors.length > 0)
    throw new BootError(`Cannot read the settings of "${owner}": ${[...new Set(errors)].join("; ")}`);
  return deepFreeze(value) as Static<S>;
}

/** How a field follows from another one of its schema: rounded down, `by` times the field `of`. */
interface Multiple {
  readonly of: string;
  readonly by: number;
}

/** Sets the fields with `times` that were not given. One whose base is no number keeps its default: the base is the error. */
function deriveFields(
  { properties }: TObject,
  given: Readonly<Record<string, unknown>>,
  value: Record<string, unknown>,
): void {
  for (const [field, { times }] of Object.entries(properties)) {
    if (times === undefined || given[field] !== undefined) continue;
    // The schemas of settings are the source's own.
    const { of, by } = times as Multiple;
    const base = value[of];
    if (typeof base === "number") value[field] = Math.floor(base * by);
  }
}

/** What was found and wanted, for numbers, switches and choices; the validator's message for texts and the rest. */
function problemOf({ message, value, schema }: Pick<ValueError, "message" | "value" | "schema">): string {
  const wanted = wantedBy(schema);
  if (wanted === undefined || typeof value === "object") return message;
  return `found ${JSON.stringify(value).slice(0, SHOWN)}, wanted ${wanted}`;
}

function wantedBy({ type, minimum, maximum, anyOf }: TSchema): string | undefined {
  if (type === "boolean") return "true or false";
  if (type === "integer" || type === "number") {
    const range = [minimum === undefined ? "" : ` from ${minimum}`, maximum === undefined ? "" : ` to ${maximum}`];
    return `a ${type === "integer" ? "whole " : ""}number${range.join("")}`;
  }
  const choices = Array.isArray(anyOf) ? (anyOf as TSchema[]).map((one): unknown => one.const) : [];
  if (choices.length === 0 || choices.includes(undefined)) return undefined;
  return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
}

function variableOf(spec: Partial<TSchema>): string {
  return typeof spec.env === "string" ? spec.env : "";
}
