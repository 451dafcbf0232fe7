/**
 * What is known of slots by their names: which core declares, which functions of their contributions others may not call, and which have
 * a time limit of another kind than the usual one. What a slot takes is declared by its owner, and what a failure does is said in plugins/hooks.md.
 */
import { deepFreeze } from "../freeze.ts";
import type { SlotName, Slots } from "../runtime/registry.ts";

/** The slots that core declares; a plugin that declares others makes them known as soon as it reads them. */
export const CORE_SLOTS = [
  "activity",
  "content",
  "content_maker",
  "content_record",
  "credential_scheme",
  "dependents",
  "document_head",
  "export_files",
  "export_format",
  "export_kind",
  "file_claims",
  "file_keeper",
  "file_store",
  "import_files",
  "item_reader",
  "last_activity",
  "list_item_schema",
  "mail_transport",
  "markdown_converter",
  "menu",
  "metric",
  "page_content",
  "permission",
  "permission_label",
  "picture_keeper",
  "response_fields",
  "screen_figure",
  "screen_head",
  "screen_hook",
  "screen_icon",
  "screen_part",
  "screen_redirect",
  "search_engine",
  "searchable",
  "self_check",
  "sign_in_step",
  "toolbar_entry",
  "view_part",
  "view_replacement",
] as const satisfies readonly SlotName[];

/**
 * Functions of contributions that only plugins that ship with Lectern may call: they write, send or hand out what other plugins keep,
 * and leave events and the check of the viewer to their caller. Other members are left out for others, such as `cached`.
 */
export const SHIPPED_SLOT_CALLS: { readonly [N in SlotName]?: readonly MembersOf<Slots[N]>[] } = deepFreeze({
  content_maker: ["make", "refill"],
  content_record: ["changed"],
  dependents: ["destroy"],
  file_claims: ["used"],
  file_keeper: ["keep", "drop"],
  file_store: ["get", "list", "put", "remove", "unfinished"],
  import_files: ["store"],
  mail_transport: ["send"],
  picture_keeper: ["keep"],
  response_fields: ["cached"],
  search_engine: ["find", "index", "remove"],
  self_check: ["check", "fix"],
  sign_in_step: ["isNeeded"],
});

/** Names of the members of a contribution, of any form that it may have. */
type MembersOf<Contribution> = Contribution extends object ? Extract<keyof Contribution, string> : never;

/** Slots whose readers call contributions by `callContribution`: it has a limit of its own, and leaves out what fails. */
export const LIMITED_BY_READERS: ReadonlySet<string> = new Set([
  "content",
  "dashboard_figure",
  "document_head",
  "last_activity",
  "menu",
  "metric",
  "response_fields",
  "screen_figure",
  "screen_head",
  "screen_part",
  "screen_redirect",
  "toolbar_entry",
  "view_part",
  "view_replacement",
] satisfies readonly (SlotName | "dashboard_figure")[]);

/** Slots whose contributions transfer files or work on many items, so that they may take as long as the longest request. */
export const LONG_SLOTS: ReadonlySet<string> = new Set([
  "content_maker",
  "content_record",
  "export_files",
  "export_format",
  "export_kind",
  "file_claims",
  "file_keeper",
  "file_store",
  "import_files",
  "mail_transport",
  "picture_keeper",
  "search_engine",
  "self_check",
] satisfies readonly SlotName[]);
