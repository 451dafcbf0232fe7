/**
 * Screens for editing: forms of books, chapters and shelves, the page editor with its preview, moving, copying, converting and
 * deleting, and attachments. The API checks permissions.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { definePlugin, fileLimit, t } from "lectern/core";
import { mountAttachments } from "./attachments.ts";
import { mountContainers } from "./containers.ts";
import { mountCopies } from "./copies.ts";
import { mountDrawerRequests } from "./drawer_requests.ts";
import { mountEditor } from "./editor.ts";
import { mountEditorRequests } from "./editor_requests.ts";
import { mountImageManager } from "./image_manager.ts";
import { mountInsertions } from "./insertions.ts";
import { mountPageActions } from "./page_actions.ts";
import { placesView } from "./places.ts";
import { mountSort } from "./sort.ts";
import { mountTagRenames } from "./tags.ts";
import { mountTemplates } from "./templates.ts";
import { mountTreeMoves } from "./tree_moves.ts";

/** What the palette offers on every screen. */
const PALETTE = [
  { path: "/create-book", text: "New book", icon: "book", permit: ["book-create-all", "book-create-own"] },
  { path: "/create-shelf", text: "New shelf", icon: "shelf", permit: ["bookshelf-create-all", "bookshelf-create-own"] },
] as const;

export default definePlugin({
  name: "web_editing",
  requires: ["markup", "web"],
  settings: t.Object({ fileLimit }),
  setup(context) {
    const { markup, web } = context.contracts;
    const script = (name: string) => web.asset(name, join(import.meta.dir, "public", name));
    const rich = web.asset("editor_rich.js", join(import.meta.dir, "browser/rich.ts"));
    const images = web.asset("editor_images.js", join(import.meta.dir, "browser/images.ts"));
    const source = web.asset("editor_source.js", join(import.meta.dir, "browser/source.ts"));
    const languages = web.asset("editor_languages.js", join(import.meta.dir, "browser/source_languages.ts"));
    // The preview of the editor alone needs it: no other screen loads it.
    const htmx = web.asset("htmx.js", fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js")));
    const scripts = {
      ...{ editor: script("editor.js"), save: script("save.js"), drawer: script("drawer.js"), tags: script("tags.js") },
      ...{ conflict: script("conflict.js"), rich, images, source, languages },
      ...{ order: script("order.js"), copy: script("copy.js"), htmx },
    };
    for (const [order, entry] of PALETTE.entries())
      context.contribute("screen_part", { at: "menu/palette", ...entry, order });
    const shared = { ...context, markup, web, scripts, limitMb: context.settings.fileLimit };
    mountContainers(shared);
    mountEditor(shared);
    mountEditorRequests(shared);
    mountDrawerRequests(shared);
    mountInsertions(shared);
    const view = placesView(web);
    mountPageActions(shared, view);
    mountCopies(shared, view);
    mountSort(shared);
    mountTagRenames(shared);
    mountTreeMoves(shared);
    mountTemplates(shared);
    mountAttachments(shared);
    mountImageManager(shared);
  },
});
