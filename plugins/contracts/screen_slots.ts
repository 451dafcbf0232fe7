import { deepFreeze, type SlotSpecs } from "lectern/core";

/** The slots of screens: their parts, views and what encloses them. */
export const screenSlots = deepFreeze({
  screen_redirect: { members: { find: "function" }, limit: "readers" },
  screen_head: {
    members: {
      scripts: "optional_list",
      styles: "optional_list",
      meta: "optional_function",
      links: "optional_function",
      css: "optional_function",
      dependsOn: "optional_list",
    },
    limit: "readers",
  },
  // What a part has beside depends on its place: the plugin of the screens checks it when all are set up.
  screen_part: {
    members: {
      at: "text",
      order: "optional_number",
      permit: "optional_permit",
      draw: "optional_function",
      text: "optional_text",
      icon: "optional_text",
      path: "optional_any",
      kind: ["link", "dialog", "form", undefined],
      isInMenu: "optional_flag",
      needs: "optional_text",
      count: "optional_text",
      label: "optional_text",
      read: "optional_function",
      dependsOn: "optional_list",
    },
    limit: "readers",
  },
  document_head: {
    members: { styles: "optional_list", scripts: "optional_list", draw: "optional_function" },
    limit: "readers",
  },
  screen_hook: { members: { before: "optional_function", after: "optional_function" } },
  screen_icon: { members: { name: "text", svg: "text", source: "text" } },
  view_replacement: { members: { name: "text", draw: "function", dependsOn: "optional_list" }, limit: "readers" },
} as const satisfies SlotSpecs);
