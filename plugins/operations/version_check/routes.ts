import { endpoint, nullable, type PluginContext, type Static, t } from "lectern/core";

/** Whether there is a newer version. */
const updateSchema = t.Object(
  {
    version: t.String({ description: "The version that runs" }),
    is_checked: t.Boolean({ description: "Whether the server looks for newer versions" }),
    newest: nullable(t.String({ description: "Null while it is not known" })),
    is_newer: t.Boolean(),
  },
  { $id: "Update" },
);

/** Mounts the route of the newest version. */
export function mountUpdate(
  { app, runtime }: Pick<PluginContext, "app" | "runtime">,
  { isChecked, newest }: { readonly isChecked: boolean; newest(): string | undefined },
): void {
  app.get(
    "/system/update",
    () => {
      const found = newest();
      const isNewer = found !== undefined && Bun.semver.order(found, runtime.version) > 0;
      return { version: runtime.version, is_checked: isChecked, newest: found ?? null, is_newer: isNewer };
    },
    {
      permit: "settings-manage",
      response: updateSchema,
      ...endpoint("system", "update", {
        about: "Tells whether there is a newer version, where the operator has it looked for (UPDATE_CHECK).",
      }),
    },
  );
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/system/update": Static<typeof updateSchema>;
  }
}
