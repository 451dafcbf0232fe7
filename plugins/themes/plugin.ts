/**
 * Themes: an operator's own code, texts, views, icons, files and markup, in a folder that APP_THEME names (platform 11). Code boots
 * as a plugin after all others; the rest are contributions to the slots of the screens. Other plugins bring the hooks that themes
 * listen to by the slot `theme_hook`, so this plugin knows none of theirs.
 */
import { definePlugin, MINUTE_MS, t, trimEndChars } from "lectern/core";
import { loadCode } from "./functions.ts";
import { headOf } from "./head.ts";
import { type InstallSettings, themeCommand } from "./install_command.ts";
import { mountPublicFiles, publicUrls } from "./public_files.ts";
import { readTheme } from "./theme_folder.ts";
import { readIcons, readViews } from "./views.ts";

/** The settings as `extend` gets them before any command runs; a command without a store gets no context. */
let chosen: InstallSettings;

export default definePlugin({
  name: "themes",
  settings: t.Object({
    active: t.String({
      default: "",
      env: "APP_THEME",
      description: "Name of the active theme: a folder below `themes/` ([themes](../themes/README.md))",
    }),
    folder: t.String({ default: "themes", description: "The folder with all themes" }),
    moduleMaxBytes: t.Integer({
      default: 52_428_800,
      minimum: 1,
      constant: true,
      description:
        "Bytes of the ZIP file of a module, and of its files when they are unpacked: code and pictures are far smaller",
    }),
    moduleMaxFiles: t.Integer({
      default: 2_000,
      minimum: 1,
      constant: true,
      description: "Files in the ZIP file of a module, far more than one has",
    }),
    downloadTimeoutMs: t.Integer({
      default: MINUTE_MS,
      minimum: 1,
      constant: true,
      description: "How long the download of a module may take: its operator waits at a terminal",
    }),
  }),
  commands: { theme: themeCommand(() => chosen) },
  async extend({ settings, plugins }) {
    chosen = settings;
    const theme = readTheme(settings);
    return theme ? loadCode(theme, plugins) : [];
  },
  slots: {
    theme: { members: { name: "text", modules: "list" } },
    theme_hook: { members: { name: "any", attach: "function" } },
  },
  async setup({ baseUrl, contribute, settings, app }) {
    const theme = readTheme(settings);
    mountPublicFiles(app.site, theme);
    contribute("theme_hook", {
      name: "app_boot",
      attach: (handler, { on }) =>
        on("app_boot", {
          async filter() {
            await handler();
            return undefined;
          },
        }),
    });
    if (!theme) return;
    const root = trimEndChars(new URL(baseUrl).pathname, "/");
    const draw = headOf(theme);
    contribute("theme", { name: theme.name, modules: theme.modules });
    contribute("document_head", {
      styles: publicUrls(theme, "theme.css", root),
      scripts: publicUrls(theme, "theme.js", root),
      ...(draw && { draw }),
    });
    for (const { path } of theme.folders) {
      for (const icon of readIcons(path)) contribute("screen_icon", icon);
      for (const view of await readViews(path)) contribute("view_replacement", view);
    }
  },
});
