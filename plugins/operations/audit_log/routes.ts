import { endpoint, requirePermission } from "lectern/core";
import { type AuditLogContext, activityListingSchema, activityTypesSchema } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { type ListedActivity, listSpec, readTypes } from "./queries.ts";

const PERMIT = "settings-manage";

/** Mounts the routes. They require two permissions, of which `permit` names one. */
export function mountAuditLog(context: AuditLogContext): void {
  const { app, db, list } = context;
  app.get(
    "/audit-log/types",
    async ({ viewer }) => {
      requirePermission(viewer, "users-manage");
      const data = await readTypes(db);
      return { data, total: data.length };
    },
    { permit: PERMIT, response: activityTypesSchema, ...endpoint("audit-log", "types", { about: about.types }) },
  );
  const listing = listSpec(context);
  app.get(
    "/audit-log",
    async ({ viewer, nestedQuery }) => {
      requirePermission(viewer, "users-manage");
      return list<ListedActivity>(listing, viewer, nestedQuery);
    },
    {
      permit: PERMIT,
      response: activityListingSchema,
      ...endpoint("audit-log", "list", { about: about.list, example: examples.list }),
    },
  );
}
