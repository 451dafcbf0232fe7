import { rules } from "lectern/core";

/** The rules of a new comment (content-api 2.4). */
export const createRules = rules({
  page_id: ["required", "integer"],
  reply_to: ["nullable", "integer"],
  html: ["required", "string"],
  content_ref: ["string"],
});

/** The rules of a change. */
export const updateRules = rules({
  html: ["string"],
  archived: ["boolean"],
});
