/**
 * Screens on which content is written: books, chapters and shelves by their forms, pages by an editor with a preview,
 * moving, copying and deleting, and files that hang on pages. Who may do what is the API's to say.
 */
import { join } from "node:path";
import { definePlugin, fileLimit, t } from "lectern/core";
import { mountAttachments } from "./attachments.ts";
import { mountContainers } from "./containers.ts";
import { mountEditor } from "./editor.ts";
import { mountAssist } from "./editor_requests.ts";
import { mountPageActions } from "./page_actions.ts";
import { mountSort } from "./sort.ts";

export default definePlugin({
  name: "web_editing",
  requires: ["web"],
  settings: t.Object({ fileLimit }),
  setup(context) {
    const { web } = context.contracts;
    const script = web.asset("editor.js", join(import.meta.dir, "public/editor.js"));
    const order = web.asset("order.js", join(import.meta.dir, "public/order.js"));
    mountContainers(context, web, [script, order]);
    mountEditor(context, web, { scripts: [script], limitMb: context.settings.fileLimit });
    mountAssist(context, web);
    mountPageActions(context, web);
    mountSort(context, web, [order]);
    mountAttachments(context, web);
  },
});
