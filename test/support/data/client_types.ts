/**
 * The types of `lectern/client`, generated from the OpenAPI document by openapi-typescript. `bun test/support/data/client_types.ts`
 * writes them anew; test/operations/client_test.ts fails while they are not those of the served document.
 */
import { join } from "node:path";
import { plugin } from "bun";
import ts from "typescript5";
import { bootTestRuntime, type TestRuntime } from "../harness/test_runtime.ts";

/** The file of the generated types. */
export const CLIENT_TYPES: string = join(import.meta.dir, "../../../core/client/api_types.d.ts");

const HEAD = `// Generated from the OpenAPI document by \`bun test/support/data/client_types.ts\`. Do not edit.\n`;

type Json = Record<string, unknown>;

/** Generates the types of a document. */
export async function clientTypes(document: Json): Promise<string> {
  // openapi-typescript needs the compiler's API, which TypeScript 7 does not have.
  plugin({
    name: "typescript-5",
    setup: ({ module }) => void module("typescript", () => ({ loader: "object", exports: { ...ts, default: ts } })),
  });
  const { default: openapiTs, astToString } = await import("openapi-typescript");
  return HEAD + withoutAbsences(astToString(await openapiTs(slim(document) as never, { alphabetize: true })));
}

/** Without the lines that say what an operation does not have, and the unknown headers of each answer. */
function withoutAbsences(types: string): string {
  const headers = /^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm;
  return types
    .replace(/^ *\w+\?: never;\n/gm, "")
    .replace(headers, "")
    .replace(/^ *parameters: \{\n *\};\n/gm, "")
    .replace(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2));
}

/** The document of a runtime. */
export async function servedDocument(runtime: TestRuntime): Promise<Json> {
  return (await runtime.ask("GET", "/api/openapi.json")).body as Json;
}

/** Without what types do not say: descriptions of answers, samples, and the media types of bodies that only forms need. */
function slim(document: Json): Json {
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (key === "example" || key === "servers" || key === "summary") return undefined;
    if (key !== "content" || typeof value !== "object" || value === null) return value;
    const { "application/x-www-form-urlencoded": _, ...content } = value as Json;
    return content;
  });
  return JSON.parse(text) as Json;
}

if (import.meta.main) {
  const runtime = await bootTestRuntime();
  await Bun.write(CLIENT_TYPES, await clientTypes(await servedDocument(runtime)));
  await runtime.stop();
}
