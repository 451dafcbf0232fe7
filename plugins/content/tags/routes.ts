import { endpoint, rules } from "lectern/core";
import type { TagsContext } from "./contract.ts";
import { about } from "./docs.ts";
import { namesListing, valuesListing } from "./queries.ts";

const nameRules = rules({ name: ["required", "string"] });

/** Mounts the listings of tag names and of the values of a name, over items that the viewer sees (content-api 13). */
export function mountTagRoutes(context: TagsContext): void {
  const { app, list, validate } = context;
  app.get("/tags/names", ({ viewer, nestedQuery }) => list(namesListing(context, viewer), viewer, nestedQuery), {
    permit: "access-api",
    ...endpoint("tags", "list-names", { about: about["list-names"] }),
  });
  app.get(
    "/tags/values-for-name",
    async ({ viewer, nestedQuery, input }) => {
      const { name } = await validate(nameRules, input, viewer);
      return list(valuesListing(context, viewer, name), viewer, nestedQuery);
    },
    {
      permit: "access-api",
      ...endpoint("tags", "list-values", { about: about["list-values"], rules: nameRules }),
    },
  );
}
