/**
 * The command line with other values of constants of the runtime, which no operator can set: each becomes the default of its field before
 * the program begins. `startProgram` starts it where a test gives constants.
 */
import { configSchema } from "../../../core/config.ts";
import { CONSTANTS_VARIABLE } from "./program.ts";

const { properties }: { readonly properties: Readonly<Record<string, Record<string, unknown>>> } = configSchema;
for (const [field, value] of Object.entries(JSON.parse(process.env[CONSTANTS_VARIABLE] ?? "{}") as object)) {
  const schema = properties[field];
  if (schema?.constant !== true) throw new Error(`"${field}" is no constant of the runtime`);
  schema.default = value;
  // A multiple of another setting would win over its default.
  delete schema.times;
}
await import("../../../core/cli.ts");
