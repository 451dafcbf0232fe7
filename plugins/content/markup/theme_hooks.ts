import type { MarkdownConverterHook } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** Contributes the theme hook of the Markdown converter. */
export function contributeThemeHooks({ contribute }: Pick<PluginContext, "contribute">): void {
  contribute("theme_hook", {
    name: "commonmark_environment_configure",
    attach: (configure, theme) => theme.contribute("markdown_converter", { configure }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /** Not used for texts whose length or nesting would make it slow. */
    commonmark_environment_configure: MarkdownConverterHook["configure"];
  }
}
