import type { SlotName } from "../runtime/registry.ts";

/** The slots that core declares; a plugin that declares others makes them known as soon as it reads them. */
export const CORE_SLOTS = [
  ...["activity", "content", "content_maker", "content_record", "credential_scheme", "dependents", "export_files"],
  ...[
    "export_format",
    "export_kind",
    "file_claims",
    "file_keeper",
    "file_store",
    "import_files",
    "item_reader",
    "last_activity",
  ],
  ...[
    "list_item_schema",
    "mail_transport",
    "markdown_converter",
    "menu",
    "metric",
    "page_content",
    "permission",
    "picture_keeper",
  ],
  ...[
    "response_fields",
    "screen_hook",
    "screen_part",
    "screen_redirect",
    "searchable",
    "self_check",
    "sign_in_step",
    "view_part",
  ],
] as const satisfies readonly SlotName[];
