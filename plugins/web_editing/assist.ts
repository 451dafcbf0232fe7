/** What the editor's scripts ask for while somebody types: drafts, previews, pictures. Answers are small and are no screens. */
import { ApiError, type PluginContext, type Visit, type Web } from "lectern/core";
import { fileIn } from "./fields.ts";
import { previewOf, typedIn } from "./typed.ts";

/** Mounts them. */
export function mountAssist({ site }: Pick<PluginContext, "site">, web: Web): void {
  web.form(site, "/editor/draft/:kind/:id", "user", async (visit) => {
    const { name, source, content, tags } = typedIn(visit);
    const base = Number(visit.text("base_revision"));
    const slot = visit.text("slot");
    const sent = await visit.send<{ draft: { updated_at: string } }>("PUT", draftPath(visit), {
      name,
      [source]: content,
      tags: tags as never,
      ...(slot === "" ? {} : { slot }),
      ...(Number.isInteger(base) && base > 0 ? { base_revision: base } : {}),
    });
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return Response.json({ kept_at: sent.body.draft.updated_at });
  });
  web.form(site, "/editor/discard/:kind/:id", "user", async (visit) => {
    const slot = typeof visit.query.slot === "string" ? visit.query.slot : "";
    await visit.send("DELETE", `${draftPath(visit)}?slot=${encodeURIComponent(slot)}`);
    return visit.goTo(String(visit.query.back ?? "/"), visit.ui.t("Your draft is thrown away."));
  });
  web.form(site, "/editor/preview", "user", async (visit) => {
    const { source, content } = typedIn(visit);
    const html = await previewOf(visit, source, content);
    return new Response(html === undefined ? "" : web.dressed(visit.ui, html).html, {
      headers: { "content-type": "text/html; charset=UTF-8" },
    });
  });
  web.form(site, "/editor/picture/:id", "user", async (visit) => {
    const image = fileIn(visit, "image");
    const sent = await visit.send<{ url: string; name: string }>("POST", "/api/image-gallery", {
      type: "gallery",
      uploaded_to: visit.params.id ?? "",
      ...(image === undefined ? {} : { image }),
    });
    if (sent.ok) return Response.json({ url: sent.body.url, name: sent.body.name });
    throw new ApiError(sent.status, Object.values(sent.faults).flat()[0] ?? sent.message);
  });
}

function draftPath({ params }: Visit): string {
  return `/api/drafts/${encodeURIComponent(params.kind ?? "")}/${encodeURIComponent(params.id ?? "")}`;
}
