import type { FieldSpec, Parts, SubmitResult, Ui, Visit } from "lectern/contracts";
import { type Html, html, type InputObject, type InputValue, isUpload } from "lectern/core";

/** A tag as forms and the API's bodies have it. */
export interface NamedTag {
  readonly name: string;
  readonly value: string;
}

/** Rows for further tags where scripts add none. */
const BLANK_ROWS = 2;
const MAX_NAME = 255;

/** Kinds of pictures that the gallery takes, as a file picker names them. */
export const PICTURE_TYPES = "image/jpeg,image/png,image/gif,image/webp,image/avif";

/** The errors of an answer by field, and what is wrong with the whole where no field is. */
export function errorsIn(sent: SubmitResult<unknown> | undefined): {
  errors: Readonly<Record<string, readonly string[]>>;
  error: string | undefined;
} {
  if (!sent || sent.ok) return { errors: {}, error: undefined };
  const { errors, message } = sent;
  return { errors, error: Object.keys(errors).length > 0 ? undefined : message };
}

/** Names and values of tags, with room for more. */
export function tagFields(tags: readonly NamedTag[], ui: Ui): Html {
  const rows = [...tags, ...Array.from({ length: BLANK_ROWS }, () => ({ name: "", value: "" }))];
  const input = (index: number, part: "name" | "value", value: string, label: string) =>
    html`<input name="tags[${index}][${part}]" value="${value}" maxlength="${MAX_NAME}" aria-label="${label}" placeholder="${label}" autocomplete="off">`;
  return html`<fieldset class="tag-fields" data-rows><legend>${ui.icon("tag")} ${ui.t("Tags")}</legend>
${rows.map(
  ({ name, value }, index) =>
    html`<div class="tag-row">${input(index, "name", name, ui.t("Tag name"))}${input(index, "value", value, ui.t("Value"))}</div>`,
)}
<button type="button" class="small secondary outline needs-script" data-add-row>${ui.icon("plus")} ${ui.t("Add a tag")}</button></fieldset>`;
}

/** The tags of a form as the API takes them: those that have a name. */
export function tagsIn(input: InputObject): NamedTag[] {
  const { tags } = input;
  if (typeof tags !== "object" || tags === null || isUpload(tags)) return [];
  return Object.values(tags).flatMap((row) => {
    if (typeof row !== "object" || row === null || isUpload(row)) return [];
    const { name, value } = row as Record<string, InputValue>;
    return typeof name === "string" && name.trim() !== ""
      ? [{ name, value: typeof value === "string" ? value : "" }]
      : [];
  });
}

/** The file of a form, where one was chosen; browsers send an empty one where none was. */
export function fileIn(visit: Visit, name: string): InputValue | undefined {
  const value = visit.input[name];
  return isUpload(value) && value.size > 0 ? value : undefined;
}

/** The field of a name. */
export function nameField(parts: Parts, ui: Ui, value: string, errors: readonly string[] | undefined): Html {
  const spec: FieldSpec = { name: "name", label: ui.t("Name"), value, errors, required: true, maxlength: MAX_NAME };
  return parts.field(ui, { ...spec, autofocus: value === "" });
}

/** The fields of a cover: a new picture, and one that takes the present one away. */
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
    accept: PICTURE_TYPES,
    errors,
  });
  if (!cover) return file;
  return html`<figure class="cover-now"><img src="${cover.url}" alt="${ui.t("Current cover")}"></figure>${file}
${parts.field(ui, { name: "remove_cover", label: ui.t("Remove the current cover"), type: "checkbox" })}`;
}

/** What a form says about a cover: a new one, none, or nothing. */
export function coverIn(visit: Visit): { image?: InputValue } {
  const file = fileIn(visit, "image");
  if (file !== undefined) return { image: file };
  return visit.text("remove_cover") === "true" ? { image: null } : {};
}
