/**
 * The command line with other values of constants of the runtime, of the object store and of copies, which no operator can set: each becomes the default of its field before
 * the program begins. `startProgram` starts it where a test gives constants.
 */
import type { TObject } from "@sinclair/typebox";
import { configSchema } from "../../../core/config.ts";
import { settings as copySettings } from "../../../plugins/content/content_copies/settings.ts";
import { settings as s3Settings } from "../../../plugins/operations/s3_files/settings.ts";
import { CONSTANTS_VARIABLE } from "./program.ts";

// Plugins freeze their settings when they are loaded, so that their modules are not imported here.
const schemas: readonly TObject[] = [configSchema, s3Settings, copySettings];
for (const [field, value] of Object.entries(JSON.parse(process.env[CONSTANTS_VARIABLE] ?? "{}") as object)) {
  const schema = schemas.find((one) => one.properties[field]?.constant === true)?.properties[field];
  if (!schema) throw new Error(`"${field}" is no constant`);
  schema.default = value;
  // A multiple of another setting would win over its default.
  delete schema.times;
}
await import("../../../core/cli.ts");
