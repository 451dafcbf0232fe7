/**
 * The types of `lectern/client`, generated from the OpenAPI document by openapi-typescript: `bun .ci/client_types.ts FILE`. The document
 * is that of a runtime with the shipped plugins over a store of its own. `pack.ts` puts them into the npm package.
 */
import { plugin } from "bun";
import ts from "typescript5";
import { bootTestRuntime, type TestRuntime } from "../test/support/harness/test_runtime.ts";

const HEAD = "// Generated from the OpenAPI document.\n";

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
    .replace(/\{\n *\}/g, "{}")
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

const [, , file] = process.argv;
if (import.meta.main && file !== undefined) {
  const runtime = await bootTestRuntime();
  await Bun.write(file, await clientTypes(await servedDocument(runtime)));
  await runtime.stop();
}
