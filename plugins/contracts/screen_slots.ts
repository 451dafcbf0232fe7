import { deepFreeze, type SlotSpecs } from "lectern/core";

/** The slots of screens: menus, places, views and what encloses them. */
export const screenSlots = deepFreeze({
  menu: {
    members: {
      menu: ["main", "settings", "account"],
      path: "text",
      text: "text",
      icon: "text",
      permit: "permit",
      needs: "optional_text",
      order: "optional_number",
    },
    limit: "readers",
  },
  screen_redirect: { members: { find: "function" }, limit: "readers" },
  screen_figure: {
    members: {
      at: "text",
      label: "text",
      read: "function",
      path: "optional_text",
      permit: "optional_permit",
      order: "optional_number",
    },
    limit: "readers",
  },
  screen_head: {
    members: {
      scripts: "optional_list",
      styles: "optional_list",
      meta: "optional_function",
      links: "optional_function",
      css: "optional_function",
    },
    limit: "readers",
  },
  screen_part: { members: { at: "text", order: "optional_number", draw: "function" }, limit: "readers" },
  toolbar_entry: {
    members: {
      at: "text",
      text: "text",
      icon: "text",
      path: "function",
      kind: ["link", "dialog", "form", undefined],
      permit: "optional_permit",
      isInMenu: "optional_flag",
      order: "optional_number",
    },
    limit: "readers",
  },
  document_head: {
    members: { styles: "optional_list", scripts: "optional_list", draw: "optional_function" },
    limit: "readers",
  },
  screen_hook: { members: { before: "optional_function", after: "optional_function" } },
  screen_icon: { members: { name: "text", svg: "text", source: "text" } },
  view_part: {
    members: { target: "text", place: ["before", "after"], priority: "number", draw: "function" },
    limit: "readers",
  },
  view_replacement: { members: { name: "text", draw: "function" }, limit: "readers" },
} as const satisfies SlotSpecs);
