/**
 * The endpoints of imports (platform 8.4 to 8.6). An upload is validated completely before it becomes an import, so that
 * whoever runs it later, perhaps another user, can rely on it; uploading creates no content.
 */
import { endpoint, fileKilobytes, noContent, rules } from "lectern/core";
import { createImport, removeImport } from "./changes.ts";
import {
  type ImportDetails,
  type ImportedItem,
  type ImportsContext,
  importAnswers,
  type ListedImport,
  parentRules,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { present } from "./presenter.ts";
import { findImport, listSpec } from "./queries.ts";
import { runImport } from "./run_import.ts";

/** Mounts the endpoints of imports. */
export function mountImports(context: ImportsContext): void {
  const { app, list, perform, settings, validate } = context;
  const permit = "content-import";
  const uploadRules = rules({ file: ["required", "file", `max:${fileKilobytes(settings.fileLimit)}`] });

  app.get("/imports", ({ viewer, nestedQuery }) => list<ListedImport>(listSpec, viewer, nestedQuery), {
    permit,
    response: importAnswers.list,
    ...endpoint("imports", "list", { about: about.list, example: examples.list }),
  });
  app.post(
    "/imports",
    async ({ viewer, input }) => {
      const { file } = await validate(uploadRules, input, viewer);
      return present(await createImport(context, viewer, file));
    },
    {
      permit,
      response: { 200: importAnswers.create, 422: importAnswers.error },
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
      const { row, details } = await findImport(context, viewer, params.id);
      return { ...present(row), details: JSON.parse(details) as ImportDetails };
    },
    {
      permit,
      response: importAnswers.read,
      ...endpoint("imports", "read", { about: about.read, example: examples.read }),
    },
  );
  app.post(
    "/imports/:id",
    async ({ viewer, params, input }) => {
      const { row } = await findImport(context, viewer, params.id);
      // The plugin of the kind shows its item.
      return (await runImport(context, viewer, row, input)).shown as ImportedItem;
    },
    {
      permit,
      response: { 200: importAnswers.run, 500: importAnswers.error },
      ...endpoint("imports", "run", {
        about: about.run,
        rules: parentRules,
        errors: [409, 500],
        example: examples.run,
        takes: "long",
      }),
    },
  );
  app.delete(
    "/imports/:id",
    async ({ viewer, params, set }) => {
      const { row } = await findImport(context, viewer, params.id);
      await perform("import_delete", viewer, row, (final, tx) => removeImport(context, final, tx));
      set.status = 204;
    },
    { permit, response: noContent, ...endpoint("imports", "delete", { about: about.delete }) },
  );
}
