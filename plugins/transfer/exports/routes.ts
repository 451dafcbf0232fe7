/**
 * The export endpoints. Those of the interface specification are documented one by one; kinds and formats that other
 * plugins add are served by one route with parameters.
 */
import { type ExportFiles, type ExportFormat, type Exporting, type ItemRef, kindLabels } from "lectern/contracts";
import { contentDisposition, endpoint, fileAnswer, idOf, localizedError, notFound, type Viewer } from "lectern/core";
import { conversionRules, conversionSchema, type ExportsContext } from "./contract.ts";
import { about, COMMON, CONVERSION, OTHER } from "./docs.ts";
import { spool } from "./spool.ts";
import { toMarkdown } from "./to_markdown.ts";
import { contentReader, readItem } from "./tree.ts";

/** The media type of every export, which is to be saved as a file. */
const FILE = "application/octet-stream";
const SEGMENTS = ["pages", "chapters", "books"];
/** Names of the endpoints in the documentation, by format. */
const ACTIONS: Readonly<Record<string, string>> = {
  html: "export-html",
  pdf: "export-pdf",
  plaintext: "export-plain-text",
  markdown: "export-markdown",
  zip: "export-zip",
};

/** A PDF may fail, or may not be set up. */
const ERRORS = [500, 501];

/** Mounts the export endpoints. */
export function mountExports(context: ExportsContext): void {
  const { app, settings, pools } = context;
  const limitMs = settings.readTimeoutMs;
  const runExport = (viewer: Viewer, path: ExportPath) =>
    pools.slow({ viewer, limitMs }, () => answer(context, viewer, path));
  for (const segment of SEGMENTS)
    for (const [format, action] of Object.entries(ACTIONS))
      app.get(
        `/${segment}/:id/export/${format}`,
        ({ viewer, params }) => runExport(viewer, { segment, format, id: params.id }),
        {
          permit: "content-export",
          response: fileAnswer(FILE),
          ...endpoint(segment, action, { about: `${about[format]}\n${COMMON}`, errors: ERRORS, takes: "long" }),
        },
      );
  app.post(
    "/exports/markdown",
    async ({ viewer, input }) => {
      const { html } = await context.validate(conversionRules, input, viewer);
      return { markdown: await toMarkdown(context.children, html ?? "", viewer, { isEdited: true }) };
    },
    {
      permit: "access-api",
      response: conversionSchema,
      ...endpoint("exports", "convert-to-markdown", { about: CONVERSION, rules: conversionRules }),
    },
  );
  app.get("/:segment/:id/export/:format", ({ viewer, params }) => runExport(viewer, params), {
    permit: "content-export",
    response: fileAnswer(FILE),
    ...endpoint("exports", "read", { about: `${OTHER}\n${COMMON}`, errors: ERRORS, takes: "long" }),
  });
}

/** The parameters of an export's path. */
interface ExportPath {
  readonly segment: string;
  readonly format: string;
  readonly id: string;
}

async function answer(
  context: ExportsContext,
  viewer: Viewer,
  { segment, format: name, id }: ExportPath,
): Promise<Response> {
  const kinds = context.slot("export_kind");
  const kind = context.slot("content").find((one) => one.segment === segment)?.kind;
  const format = context.slot("export_format").find((one) => one.name === name);
  if (kind === undefined || !format || !kinds.some((one) => one.kind === kind))
    throw localizedError(404, "The route :route could not be found.", { route: `api/${segment}/${id}/export/${name}` });
  const { one } = kindLabels(context.slot("content"), kind);
  const noun = one.charAt(0).toUpperCase() + one.slice(1);
  const item = await readItem(kinds, viewer, { kind, id: idOf(id, noun) });
  if (!item) throw notFound(noun);
  return fileResponse(format, {
    viewer,
    item,
    baseUrl: context.baseUrl,
    content: contentReader(kinds, viewer, item),
    files: allFiles(context.slot("export_files"), viewer),
    holds: (parent) => context.slot("content").filter(({ parents }) => parents.some((one) => one.kind === parent)),
  });
}

async function fileResponse(format: ExportFormat, request: Exporting): Promise<Response> {
  const { size, body } = await spool(format.write(request));
  const name = `${request.item.slug || fallbackName(request.item)}.${format.extension}`;
  return new Response(body, {
    headers: {
      "content-type": FILE,
      "content-length": String(size),
      "content-disposition": contentDisposition("attachment", name),
      "x-content-type-options": "nosniff",
    },
  });
}

function fallbackName({ kind, id }: ItemRef): string {
  return `${kind}-${id}`;
}

function allFiles(slots: readonly ExportFiles[], viewer: Viewer): Exporting["files"] {
  return {
    async named(addresses) {
      if (addresses.length === 0) return new Map();
      const found = await Promise.all(slots.map((files) => files.named(viewer, addresses)));
      return new Map(found.flatMap((files) => [...files]));
    },
    async dependents(who, kind, ids) {
      const found = await Promise.all(slots.map((files) => files.dependents?.(who, kind, ids) ?? []));
      return found.flat();
    },
  };
}
