/**
 * The addresses of exports. Those of the interface specification stand in the documentation one by one; whatever kind or
 * format other plugins add is answered as well, under the address that follows from its name.
 */
import type { ExportFiles, ExportFormat, Exporting, ItemRef } from "lectern/contracts";
import {
  contentDisposition,
  endpoint,
  idOf,
  localizedError,
  notFound,
  type PluginContext,
  type Viewer,
} from "lectern/core";
import { about, COMMON, OTHER } from "./about.ts";
import { spool } from "./spool.ts";
import { contentReader, readItem } from "./tree.ts";

type Context = Pick<PluginContext, "app" | "baseUrl" | "slot" | "withSlowPool">;

const SEGMENTS = ["pages", "chapters", "books"];
/** By format: how the documentation of the interface calls it. */
const ACTIONS: Readonly<Record<string, string>> = {
  html: "export-html",
  pdf: "export-pdf",
  plaintext: "export-plain-text",
  markdown: "export-markdown",
  zip: "export-zip",
};

/** Mounts the addresses of exports; each statement that reads for one may take `limitMs`. */
export function mountExports(context: Context, limitMs: number): void {
  const { app, withSlowPool } = context;
  const exported = (viewer: Viewer, asked: Asked) =>
    withSlowPool({ viewer, limitMs }, () => answer(context, viewer, asked));
  for (const segment of SEGMENTS)
    for (const [format, action] of Object.entries(ACTIONS))
      app.get(
        `/${segment}/:id/export/${format}`,
        ({ viewer, params }) => exported(viewer, { segment, format, id: params.id }),
        {
          permit: "content-export",
          ...endpoint(segment, action, { about: `${about[format]}\n${COMMON}`, takes: "long" }),
        },
      );
  app.get("/:segment/:id/export/:format", ({ viewer, params }) => exported(viewer, params), {
    permit: "content-export",
    ...endpoint("exports", "read", { about: `${OTHER}\n${COMMON}`, takes: "long" }),
  });
}

interface Asked {
  readonly segment: string;
  readonly format: string;
  readonly id: string;
}

async function answer(context: Context, viewer: Viewer, { segment, format: name, id }: Asked): Promise<Response> {
  const kinds = context.slot("export_kind");
  const kind = context.slot("content").find((one) => one.segment === segment)?.kind;
  const format = context.slot("export_format").find((one) => one.name === name);
  if (kind === undefined || !format || !kinds.some((one) => one.kind === kind))
    throw localizedError(404, "The route :route could not be found.", { route: `api/${segment}/${id}/export/${name}` });
  const noun = kind.charAt(0).toUpperCase() + kind.slice(1);
  const item = await readItem(kinds, viewer, { kind, id: idOf(id, noun) });
  if (!item) throw notFound(noun);
  return fileOf(format, {
    viewer,
    item,
    baseUrl: context.baseUrl,
    content: contentReader(kinds, viewer, item),
    files: allFiles(context.slot("export_files"), viewer),
    holds: (holder) => context.slot("content").filter(({ parents }) => parents.some((one) => one.kind === holder)),
  });
}

async function fileOf(format: ExportFormat, asked: Exporting): Promise<Response> {
  const { size, body } = await spool(format.write(asked));
  const name = `${asked.item.slug || nameless(asked.item)}.${format.extension}`;
  return new Response(body, {
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(size),
      "content-disposition": contentDisposition("attachment", name),
      "x-content-type-options": "nosniff",
    },
  });
}

function nameless({ kind, id }: ItemRef): string {
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
