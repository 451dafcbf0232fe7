/** Requests of the menu of the rich editor: files that become attachments, and pages whose parts are included. */
import { ApiError, idOf, isUpload } from "lectern/core";
import type { EditingContext } from "./contract.ts";
import { fileIn } from "./fields.ts";

const MAX_NAME = 255;

/** Mounts the requests. */
export function mountInsertions({ app, web, baseUrl }: EditingContext): void {
  web.form(app.site, "/editor/file/:id", "user", async (visit) => {
    const file = fileIn(visit, "file");
    const name = isUpload(file) ? [...file.name].slice(0, MAX_NAME).join("") : "";
    const input = { name, uploaded_to: visit.params.id ?? "", ...(file !== undefined && { file }) };
    const sent = await visit.send("POST", "/api/attachments", input);
    if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
    return Response.json({ url: `${baseUrl}/attachments/${sent.body.id}` });
  });
  web.screen(app.site, "/editor/blocks/:id", "user", async (visit) => {
    const { raw_html: html } = await visit.item("page", { id: idOf(visit.params.id ?? "", "Page") });
    return Response.json({ data: [{ html }] });
  });
}
