/** Requests of the menu of the rich editor: pages whose parts are included. */
import { idOf } from "lectern/core";
import type { EditingContext } from "./contract.ts";

/** Mounts the requests. */
export function mountInsertions({ app, web }: EditingContext): void {
  web.screen(app.site, "/editor/blocks/:id", "user", async (visit) => {
    const { raw_html: html } = await visit.item("page", { id: idOf(visit.params.id ?? "", "Page") });
    return Response.json({ data: [{ html }] });
  });
}
