import type { PluginContext } from "lectern/core";
import type {} from "./contract.ts";

/** What the parts of this plugin work with. */
export type ShelvesContext = Pick<
  PluginContext<"access" | "users" | "tags" | "markup", "bookshelves" | "bookshelf_books" | "books">,
  "contracts" | "db" | "slot" | "visible"
>;
