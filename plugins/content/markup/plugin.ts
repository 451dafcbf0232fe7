import { definePlugin, t } from "lectern/core";
import type { Marked } from "marked";
import { includeLimits } from "./includes.ts";
import { maxContentBytes, maxContentElements, maxHookedBytes, maxIncludedBytes, maxIncludes } from "./limits.ts";
import { newConverter } from "./markdown.ts";
import { markupWith } from "./mod.ts";
import { offloaded } from "./offloaded.ts";

/** Text with markup: storing, rendering and cleaning it, for whoever keeps or shows such text (content-api 9). */
export default definePlugin({
  name: "markup",
  provides: ["markup"],
  settings: t.Object({
    maxContentBytes: t.Integer({
      default: maxContentBytes,
      minimum: 1_000,
      maximum: 100_000_000,
      env: "PAGE_MAX_BYTES",
      description: "Bytes of a page's HTML or Markdown, embedded pictures aside; 422 beyond",
    }),
    maxContentElements: t.Integer({
      default: maxContentElements,
      minimum: 100,
      maximum: 500_000,
      env: "PAGE_MAX_ELEMENTS",
      description: "Elements of a page; 422 beyond",
    }),
    maxHookedBytes: t.Integer({
      default: maxHookedBytes,
      minimum: 1_000,
      maximum: 100_000_000,
      env: "MARKDOWN_HOOK_MAX_BYTES",
      description:
        "Bytes of Markdown where a plugin or theme changes its converter, which then holds up everybody else; 422 beyond",
    }),
    maxIncludes: t.Integer({
      default: maxIncludes,
      minimum: 0,
      maximum: 10_000,
      env: "INCLUDES_MAX",
      description:
        "Include tags of a page that are resolved, those in what it includes among them; the others are left out",
    }),
    maxIncludedBytes: t.Integer({
      default: maxIncludedBytes,
      minimum: 0,
      maximum: 100_000_000,
      env: "INCLUDES_MAX_BYTES",
      description: "HTML in bytes that a page may include; what is beyond that is left out",
    }),
  }),
  setup({ children, language, provide, settings, slot, texts }) {
    let known: Marked | undefined;
    // Contributions are complete with the boot, and no text is stored before.
    const converter = () => {
      const hooks = slot("markdown_converter");
      if (hooks.length === 0) return undefined;
      known ??= hooks.reduce((changed, hook) => hook.configure(changed) ?? changed, newConverter());
      return known;
    };
    const limits = { maxBytes: settings.maxContentBytes, maxElements: settings.maxContentElements };
    const budget = { maxIncludes: settings.maxIncludes, maxBytes: settings.maxIncludedBytes };
    const includes = () => includeLimits(budget, (text, params) => texts.say(text, params, language));
    provide(
      "markup",
      offloaded(markupWith({ converter, includes, limits }), {
        children,
        limits,
        converter,
        maxHookedBytes: settings.maxHookedBytes,
        includes,
      }),
    );
  },
});
