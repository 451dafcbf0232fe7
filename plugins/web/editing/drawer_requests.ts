/**
 * Requests of the drawer's script: the attachments and pictures of a page, and suggestions of tags. They pass on what the API answers to
 * the writer, who sees and changes through them what the API lets them.
 */
import type { SubmitResult, Visit } from "lectern/contracts";
import { ApiError, type InputObject, isUpload } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";
import { fileIn } from "./fields.ts";

const MAX_FILES = 500;
/** Pictures of a page that are shown, the newest first. */
const MAX_PICTURES = 60;
const MAX_SUGGESTIONS = 20;
const MAX_NAME = 255;

/** Mounts the requests. */
export function mountDrawerRequests({ app, web }: EditingContext): void {
  web.screen(app.site, "/editor/attachments/:id", "user", async (visit) => {
    const page = idOf(visit);
    const { data } = await visit.get(`/api/attachments?count=${MAX_FILES}&sort=order&filter[uploaded_to]=${page}`);
    const shown = data.map(({ id, name, external, order }) => {
      return { id, name, external, order, url: visit.ui.url(`/attachments/${id}`) };
    });
    return Response.json({ data: shown });
  });
  web.form(app.site, "/editor/attachments/:id", "user", async (visit) => {
    const file = fileIn(visit, "file");
    const name = isUpload(file) ? nameOfFile(file.name) : "";
    return answered(
      await visit.send("POST", "/api/attachments", { name, uploaded_to: idOf(visit), file: file ?? null }),
    );
  });
  web.form(app.site, "/editor/attachment/:id", "user", async (visit) => {
    const path = `/api/attachments/${idOf(visit)}` as const;
    if (visit.text("act") === "delete") return answered(await visit.send("DELETE", path));
    return answered(await visit.send("PUT", path, changeOfAttachment(visit)));
  });
  web.screen(app.site, "/editor/pictures/:id", "user", async (visit) => {
    const page = idOf(visit);
    const list = await visit.get(
      `/api/image-gallery?count=${MAX_PICTURES}&sort=-id&filter[uploaded_to]=${page}&filter[type]=gallery`,
    );
    const found = await Promise.all(list.data.map(({ id }) => visit.find(`/api/image-gallery/${id}`)));
    const data = found.flatMap((image) =>
      image ? [{ id: image.id, name: image.name, thumb: image.thumbs.gallery ?? image.url, ...image.content }] : [],
    );
    return Response.json({ data });
  });
  web.screen(app.site, "/editor/tags", "user", async (visit) => Response.json({ data: await suggestions(visit) }));
}

/** The name of an attachment whose file is called so. */
export function nameOfFile(name: string): string {
  return [...name].slice(0, MAX_NAME).join("");
}

/** The fields of a change of an attachment that were sent. */
export function changeOfAttachment(visit: Visit): InputObject {
  const file = fileIn(visit, "file");
  const texts = Object.fromEntries(
    ["name", "order", "link"].flatMap((field) => (visit.text(field) === "" ? [] : [[field, visit.text(field)]])),
  );
  return { ...texts, ...(file === undefined ? {} : { file }) };
}

/** An empty answer to what the API has done. Throws its error. */
function answered(sent: SubmitResult<unknown>): Response {
  if (sent.ok) return Response.json({ done: true });
  throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
}

/** Names of tags that hold what was typed, or values of the tag `name`, most used first, as they are used on what the writer sees. */
async function suggestions(visit: Visit): Promise<string[]> {
  const { name, query = "" } = visit.query;
  const typed = typeof query === "string" ? query : "";
  const pattern = encodeURIComponent(`%${typed.replace(/[\\%_]/g, "\\$&")}%`);
  const like = (field: string) => `filter[${field}:like]=${pattern}&sort=-usages&count=${MAX_SUGGESTIONS}`;
  if (typeof name !== "string" || name.trim() === "") {
    const { data } = await visit.get(`/api/tags/names?${like("name")}`);
    return data.map((one) => one.name);
  }
  const { data } = await visit.get(`/api/tags/values-for-name?name=${encodeURIComponent(name)}&${like("value")}`);
  return data.map((one) => one.value).filter((value) => value !== "");
}
