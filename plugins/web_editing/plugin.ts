/**
 * Screens on which content is written: books, chapters and shelves by their forms, pages by an editor with a preview,
 * moving, copying and deleting, and files that hang on pages. Who may do what is the API's to say.
 */
import { join } from "node:path";
import { definePlugin } from "lectern/core";
import { mountAssist } from "./assist.ts";
import { mountAttachments } from "./attachments.ts";
import { mountContainers } from "./containers.ts";
import { mountEditor } from "./editor.ts";
import { mountPageActs } from "./page_acts.ts";

export default definePlugin({
  name: "web_editing",
  requires: ["web"],
  setup(context) {
    const { web } = context.contracts;
    const script = web.asset("editor.js", join(import.meta.dir, "public/editor.js"));
    mountContainers(context, web, [script]);
    mountEditor(context, web, [script]);
    mountAssist(context, web);
    mountPageActs(context, web);
    mountAttachments(context, web);
  },
});
