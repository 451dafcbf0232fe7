/**
 * Drawings of draw.io, where DRAWIO names its editor: they are made and changed in the page editor, and pages have them as BookStack's do,
 * `<div drawio-diagram="ID"><img src="…"></div>`, with an image of the type "drawio" whose file contains the drawing. A changed drawing is
 * a new image, so that revisions show what they showed. The editor is a site of others: it is framed by a document of ours
 * (`/web/drawings/frame`), which alone allows that, listens to its origin alone, and tells the screen what was drawn.
 */
import { join } from "node:path";
import type { Ui } from "lectern/contracts";
import { ApiError, definePlugin, html, htmlResponse, idOf, isUpload, t, trimEndChars } from "lectern/core";
import { drawingEditor } from "./settings.ts";

export default definePlugin({
  name: "web_drawings",
  requires: ["web"],
  settings: t.Object({
    drawio: t.String({
      default: "false",
      env: "DRAWIO",
      description:
        "Whether drawings are edited by https://embed.diagrams.net, or the address of another draw.io that edits them",
    }),
  }),
  setup({ app, baseUrl, contracts: { web }, contribute, settings }) {
    const editor = drawingEditor(settings.drawio);
    if (!editor) return;
    const root = trimEndChars(new URL(baseUrl).pathname, "/");
    const asset = (name: string) => web.asset(name, join(import.meta.dir, "public", name));
    const files = { script: asset("drawings.js"), frame: asset("drawing_frame.js"), style: asset("drawings.css") };
    const policy = `default-src 'none'; script-src 'self'; style-src 'self'; frame-src ${editor.origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
    app.site.get(
      "/web/drawings/frame",
      () => {
        const answer = htmlResponse(
          html`<html lang="en"><head><meta charset="UTF-8"><title>draw.io</title><link rel="stylesheet" href="${files.style}"></head><body class="drawing-frame"><script src="${files.frame}" data-address="${editor.address}" data-origin="${editor.origin}"></script></body></html>`,
        );
        answer.headers.set("content-security-policy", policy);
        return answer;
      },
      { permit: "public" },
    );
    web.form(app.site, "/editor/drawing/:id", "user", async (visit) => {
      const { image } = visit.input;
      const sent = await visit.send("POST", "/api/image-gallery", {
        type: "drawio",
        uploaded_to: visit.params.id ?? "",
        ...(isUpload(image) ? { image } : {}),
      });
      if (sent.ok) return Response.json({ id: sent.body.id, url: sent.body.url });
      throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
    });
    web.screen(app.site, "/editor/drawing/:id", "user", async (visit) => {
      const answer = await visit.call("GET", `/api/image-gallery/${idOf(visit.params.id ?? "", "Image")}/data`);
      if (!answer.ok) throw new ApiError(answer.status, visit.ui.t("The drawing could not be loaded."));
      return answer;
    });
    contribute("screen_part", {
      at: "editor/insert",
      draw: (_data, { ui }) =>
        html`<button type="button" data-drawing="">${ui.t("Drawing")}</button><link rel="stylesheet" href="${files.style}"><script src="${files.script}" defer data-frame="${root}/web/drawings/frame" data-drawings="${root}/editor/drawing/" data-texts="${JSON.stringify(textsOf(ui))}"></script>`,
    });
    contribute("screen_part", {
      at: "editor/formatting",
      draw: (_data, { ui }) =>
        html`<button type="button" class="small secondary outline" data-drawing="" aria-label="${ui.t("Drawing")}" title="${ui.t("Drawing")}">✎</button>`,
    });
  },
});

function textsOf({ t: text }: Ui) {
  return {
    drawing: text("Drawing"),
    edit: text("Edit the drawing"),
    close: text("Close without saving"),
    failed: text("The drawing could not be saved: :reason"),
    notLoaded: text("The drawing could not be loaded."),
    notFound: text("The drawing is no longer in the text."),
    noPage: text("The draft of the page could not be saved."),
  };
}
