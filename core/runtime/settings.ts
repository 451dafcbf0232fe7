import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BootError } from "../errors.ts";
import { deepFreeze } from "../freeze.ts";

/**
 * Reads the settings of a plugin or the runtime: the schema's defaults, then `configured` values ("lectern" block of
 * package.json), then the environment variables of `env` options; frozen. Throws BootError with every invalid setting, no values.
 */
export function readSettings<S extends TObject>(
  owner: string,
  schema: S,
  env: Record<string, string | undefined>,
  configured: Record<string, unknown> = {},
): Static<S> {
  const given: Record<string, unknown> = { ...configured };
  for (const [field, spec] of Object.entries(schema.properties)) {
    const fromEnv = env[variableOf(spec)];
    if (fromEnv !== undefined && fromEnv !== "") given[field] = fromEnv;
  }
  const value = Value.Clean(schema, Value.Convert(schema, Value.Default(schema, given)));
  const errors = [...Value.Errors(schema, value)].map(({ path, message }) => {
    const field = path.slice(1);
    const variable = variableOf(schema.properties[field] ?? {});
    return `${variable === "" ? field : variable}: ${message}`;
  });
  if (errors.length > 0)
    throw new BootError(`Cannot read the settings of "${owner}": ${[...new Set(errors)].join("; ")}`);
  return deepFreeze(value) as Static<S>;
}

function variableOf(spec: Partial<TSchema>): string {
  return typeof spec.env === "string" ? spec.env : "";
}
