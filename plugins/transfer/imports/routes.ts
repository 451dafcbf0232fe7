/**
 * The endpoints of imports. An upload is judged completely before it becomes an import, so that whoever runs it later,
 * perhaps somebody else, knows what is in it; nothing is made of it here.
 */
import {
  endpoint,
  fileKilobytes,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  randomText,
  rules,
  sql,
  type Upload,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import type { ImportRow } from "./contract.ts";
import { detailsOf } from "./details.ts";
import { byRulesOf, type Parts } from "./parts.ts";
import { importError, parentRules, runImport } from "./run.ts";
import { type Opened, openArchive } from "./validate_archive.ts";
import { ArchiveError } from "./validation_errors.ts";

const KEY_LENGTH = 16;
/** Where clients are told the archive is, below the folder of the application. */
const FOLDER = "uploads/files/imports/";
const LISTED = sql`imports.id, imports.name, imports.size, imports.type, imports.created_by, imports.created_at,
  imports.updated_at`;

const list: ListSpec = {
  table: "imports",
  fields: {
    id: "integer",
    name: "text",
    size: "integer",
    type: "code",
    created_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: LISTED,
};

/** Mounts the endpoints of imports (platform 8.4 to 8.6). */
export function mountImports(context: Pick<PluginContext, "app" | "list">, parts: Parts): void {
  const { app } = context;
  const permit = "content-import";
  const uploadRules = rules({ file: ["required", "file", `max:${fileKilobytes(parts.limitMb)}`] });

  app.get("/imports", ({ viewer, asked }) => context.list(list, viewer, asked), {
    permit,
    ...endpoint("imports", "list", { about: about.list, example: examples.list }),
  });
  app.post(
    "/imports",
    async ({ viewer, input }) => {
      const { file } = await parts.validate(uploadRules, input, viewer);
      return shown(await create(parts, viewer, file));
    },
    {
      permit,
      ...endpoint("imports", "create", {
        about: about.create,
        rules: uploadRules,
        example: examples.create,
        takes: "long",
      }),
    },
  );
  app.get(
    "/imports/:id",
    async ({ viewer, params }) => {
      const { details, ...row } = await find(parts, viewer, params.id);
      return { ...shown(row), details: JSON.parse(details) as unknown };
    },
    { permit, ...endpoint("imports", "read", { about: about.read, example: examples.read }) },
  );
  app.post(
    "/imports/:id",
    async ({ viewer, params, input }) => {
      const { details: _details, ...row } = await find(parts, viewer, params.id);
      return (await runImport(parts, viewer, row, input)).shown;
    },
    {
      permit,
      ...endpoint("imports", "run", { about: about.run, rules: parentRules, example: examples.run, takes: "long" }),
    },
  );
  app.delete(
    "/imports/:id",
    async ({ viewer, params, set }) => {
      const { details: _details, ...row } = await find(parts, viewer, params.id);
      await parts.perform("import_delete", viewer, row, (final, tx) => parts.remove(final, tx));
      set.status = 204;
    },
    { permit, ...endpoint("imports", "delete", { about: about.delete }) },
  );
}

async function find(parts: Parts, viewer: Viewer, param: string): Promise<ImportRow & { details: string }> {
  const [row] = await rows<ImportRow & { details: string }>(
    parts.db,
    sql`select imports.* from imports
      where imports.id = ${idOf(param, "Import")}::integer and ${parts.sees("imports", viewer)}`,
  );
  if (!row) throw notFound("Import");
  return row;
}

/** The archive is stored first and judged where it lies, so that it is never held in memory. */
async function create(parts: Parts, viewer: Viewer, file: Upload): Promise<ImportRow> {
  const key = `${randomText(KEY_LENGTH)}.zip`;
  try {
    await parts.files.put(key, file);
    const opened = await judged(parts, viewer, key);
    const details = JSON.stringify(detailsOf(opened.top));
    const draft = { file, name: opened.top.name, type: opened.type };
    return await parts.perform("import_create", viewer, draft, async ({ name, type }, tx) => {
      const [row] = await rows<ImportRow>(
        tx.db,
        sql`insert into imports (name, size, type, file_key, details, created_by)
        values (${name}, ${file.size}::bigint, ${type}, ${key}, ${details}, ${viewer.id}::integer)
        returning ${LISTED}, file_key`,
      );
      return row as ImportRow;
    });
  } catch (error) {
    await parts.files.remove(key);
    throw error;
  }
}

async function judged(parts: Parts, viewer: Viewer, key: string): Promise<Opened> {
  const source = await parts.files.get(key);
  if (!source) throw new Error(`Cannot read the archive "${key}": it was stored and is gone`);
  try {
    return await openArchive(source, { byRules: byRulesOf(parts, viewer), limitMb: parts.limitMb });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw importError(422, `ZIP upload failed with the following validation errors: \n${error.message}`);
  }
}

function shown({ file_key, id, name, size, type, created_by, created_at, updated_at }: ImportRow) {
  return { id, name, size, type, path: FOLDER + file_key, created_by, created_at, updated_at };
}
