import { definePlugin } from "lectern/core";
import type { Marked } from "marked";
import { newConverter } from "./markdown.ts";
import { markupWith } from "./mod.ts";

/** Text with markup: storing, rendering and cleaning it, for whoever keeps or shows such text (content-api 9). */
export default definePlugin({
  name: "markup",
  provides: ["markup"],
  setup({ provide, slot }) {
    let known: Marked | undefined;
    // Contributions are complete with the boot, and no text is stored before.
    const converter = () => {
      const hooks = slot("markdown_converter");
      if (hooks.length === 0) return undefined;
      known ??= hooks.reduce((changed, hook) => hook.configure(changed) ?? changed, newConverter());
      return known;
    };
    provide("markup", markupWith(converter));
  },
});
