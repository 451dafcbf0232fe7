import { endpoint, type InputObject, rules, type Static, type Viewer } from "lectern/core";
import { type TagsContext, tagAnswers, type tagNameSchema, type tagValueSchema } from "./contract.ts";
import { about } from "./docs.ts";
import { namesListing, valuesListing } from "./queries.ts";

const nameRules = rules({ name: ["required", "string"] });

/** Mounts the listings of tag names and of the values of a name, over items that the viewer sees (content-api 13). */
export function mountTagRoutes(context: TagsContext): void {
  const { app, list, validate } = context;
  const names = (viewer: Viewer, query: InputObject) =>
    list<Static<typeof tagNameSchema>>(namesListing(context, viewer), viewer, query);
  app.get("/tags/names", ({ viewer, nestedQuery }) => names(viewer, nestedQuery), {
    permit: "access-api",
    response: tagAnswers.names,
    ...endpoint("tags", "list-names", { about: about["list-names"] }),
  });
  app.get(
    "/tags/values-for-name",
    async ({ viewer, nestedQuery, input }) => {
      const { name } = await validate(nameRules, input, viewer);
      return list<Static<typeof tagValueSchema>>(valuesListing(context, viewer, name), viewer, nestedQuery);
    },
    {
      permit: "access-api",
      response: tagAnswers.values,
      ...endpoint("tags", "list-values", { about: about["list-values"], rules: nameRules }),
    },
  );
}
