import type { PluginContext } from "lectern/core";
import type {} from "./contract.ts";

/** What the parts of this plugin work with. */
export type BooksContext = Pick<
  PluginContext<"access" | "users" | "tags" | "markup", "books" | "pages">,
  "baseUrl" | "contracts" | "db" | "slot" | "visible"
>;
