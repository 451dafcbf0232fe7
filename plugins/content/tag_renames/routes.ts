import { endpoint, type InputObject, idOf, notFound, type Viewer } from "lectern/core";
import {
  type Rename,
  type RenameRow,
  type RenamesContext,
  renamePlanSchema,
  renameRules,
  renameSchema,
  type ShownRename,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { countItems } from "./items.ts";
import { startRename } from "./runs.ts";

const permit = "access-api";

/** Mounts the routes of renames of tags. Who may update an item may rename its tags; there is no permission beside it. */
export function mountRenames(context: RenamesContext): void {
  const { app, visible } = context;
  app.get(
    "/tags/rename",
    async ({ viewer, input }) => countItems(context, viewer, await renameIn(context, viewer, input)),
    {
      permit,
      response: renamePlanSchema,
      ...endpoint("tags", "plan-rename", { about: about.plan, rules: renameRules, example: examples.plan }),
    },
  );
  app.post(
    "/tags/rename",
    async ({ viewer, input, set }) => {
      const row = await startRename(context, viewer, await renameIn(context, viewer, input));
      const shown = presentRename(context, row);
      if (row.status === "waiting" || row.status === "running") {
        set.status = 202;
        set.headers.location = shown.url;
      }
      return shown;
    },
    {
      permit,
      response: { 200: renameSchema, 202: renameSchema },
      ...endpoint("tags", "rename", {
        about: about.rename,
        rules: renameRules,
        example: examples.rename,
        takes: "long",
      }),
    },
  );
  app.get(
    "/tags/renames/:id",
    async ({ viewer, params }) => {
      const row = await visible("tag_renames", viewer)
        .selectAll()
        .where("id", "=", idOf(params.id, "Rename"))
        .executeTakeFirst();
      if (!row) throw notFound("Rename");
      return presentRename(context, row);
    },
    {
      permit,
      response: renameSchema,
      ...endpoint("tags", "read-rename", { about: about.read, example: examples.read }),
    },
  );
}

/** The rename of a request. Throws 422. */
async function renameIn({ validate }: RenamesContext, viewer: Viewer, input: InputObject): Promise<Rename> {
  const { name, value, to } = await validate(renameRules, input, viewer);
  return { name, value: value ?? null, to_name: to.name, to_value: to.value ?? null };
}

function presentRename({ baseUrl }: RenamesContext, row: RenameRow): ShownRename {
  const { id, name, value, to_name, to_value, status, changed, left_alone, total, error } = row;
  return {
    ...{ id, name, value, to: { name: to_name, value: to_value }, status, changed, left_alone, total, error },
    ...{ url: `${baseUrl}/api/tags/renames/${id}`, created_at: row.created_at, updated_at: row.updated_at },
  };
}
