import type { FieldSpec, Parts, SubmitResult, Ui, Visit } from "lectern/contracts";
import { type Html, html, type InputObject, type InputValue, isUpload, type Upload } from "lectern/core";

/** A tag in forms and in bodies of the API. */
export type NamedTag = { readonly name: string; readonly value: string };

/** Empty rows for further tags, as only scripts can add some. */
const BLANK_ROWS = 2;
const MAX_NAME = 255;

/** Image types that the gallery accepts, for file inputs. */
export const IMAGE_TYPES = "image/jpeg,image/png,image/gif,image/webp,image/avif";

/** The errors of an answer by field, and its message where no field has an error. */
export function errorsIn(sent: SubmitResult<unknown> | undefined): {
  errors: Readonly<Record<string, readonly string[]>>;
  error: string | undefined;
} {
  if (!sent || sent.ok) return { errors: {}, error: undefined };
  const { errors, message } = sent;
  return { errors, error: Object.keys(errors).length > 0 ? undefined : message };
}

/** The fields of tags, with empty rows. */
export function tagFields(tags: readonly NamedTag[], ui: Ui): Html {
  const rows = [...tags, ...Array.from({ length: BLANK_ROWS }, () => ({ name: "", value: "" }))];
  const input = (index: number, part: "name" | "value", value: string, label: string) =>
    html`<input name="tags[${index}][${part}]" value="${value}" maxlength="${MAX_NAME}" aria-label="${label}" placeholder="${label}" autocomplete="off">`;
  const suggestions = ui.serves("/api/tags/names") && html` data-suggestions="${ui.url("/editor/tags")}"`;
  return html`<fieldset class="tag-fields" data-rows${suggestions}><legend>${ui.icon("tag")} ${ui.t("Tags")}</legend>
${rows.map(
  ({ name, value }, index) =>
    html`<div class="tag-row">${input(index, "name", name, ui.t("Tag name"))}${input(index, "value", value, ui.t("Value"))}</div>`,
)}
<button type="button" class="small secondary outline needs-script" data-add-row>${ui.icon("plus")} ${ui.t("Add a tag")}</button></fieldset>`;
}

/** The tags of a form in the shape of the API; rows without a name are dropped. */
export function tagsIn(input: InputObject): NamedTag[] {
  const { tags } = input;
  if (typeof tags !== "object" || tags === null || isUpload(tags)) return [];
  return Object.values(tags).flatMap((row) => {
    if (typeof row !== "object" || row === null || isUpload(row)) return [];
    const { name, value }: Readonly<Record<string, unknown>> = { ...row };
    return typeof name === "string" && name.trim() !== ""
      ? [{ name, value: typeof value === "string" ? value : "" }]
      : [];
  });
}

/** The file of a form; undefined where none was chosen, for which browsers send an empty one. */
export function fileIn(visit: Visit, name: string): InputValue | undefined {
  const value = visit.input[name];
  return isUpload(value) && value.size > 0 ? value : undefined;
}

/** The files of a field that takes several, in the order in which they were chosen; browsers send an empty file where none was. */
export function filesIn(visit: Visit, name: string): Upload[] {
  const value = visit.input[name];
  const sent = isUpload(value) ? [value] : typeof value === "object" ? Object.values(value ?? {}) : [];
  return sent.filter((file): file is Upload => isUpload(file) && file.size > 0);
}

/** The field of the name. */
export function nameField(parts: Parts, ui: Ui, value: string, errors: readonly string[] | undefined): Html {
  const spec: FieldSpec = { name: "name", label: ui.t("Name"), value, errors, required: true, maxlength: MAX_NAME };
  return parts.field(ui, { ...spec, autofocus: value === "" });
}

/** The fields of a cover: a new image, and a checkbox that removes the current one. */
export function coverFields(
  parts: Parts,
  ui: Ui,
  cover: { readonly url: string } | null,
  errors: readonly string[] | undefined,
): Html {
  const file = parts.field(ui, {
    name: "image",
    label: ui.t("Cover"),
    type: "file",
    accept: IMAGE_TYPES,
    errors,
  });
  if (!cover) return file;
  return html`<figure class="cover-now"><img src="${cover.url}" alt="${ui.t("Current cover")}"></figure>${file}
${parts.field(ui, { name: "remove_cover", label: ui.t("Remove the current cover"), type: "checkbox" })}`;
}

/** The cover of a form: a new image, null to remove it, or absent to keep it. */
export function coverIn(visit: Visit): { image?: InputValue } {
  const file = fileIn(visit, "image");
  if (file !== undefined) return { image: file };
  return visit.text("remove_cover") === "true" ? { image: null } : {};
}
