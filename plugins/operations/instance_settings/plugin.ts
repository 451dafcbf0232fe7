/**
 * Settings of the instance that administrators change while it runs (contract `instance_settings`): plugins declare them by the slot
 * `instance_setting`, this plugin stores, checks and hands out their values. A variable of the environment wins over what is stored. The
 * screens are in `web/instance`.
 */
import { activityOf, Findings, type InstanceSettings, instanceSettingSlots } from "lectern/contracts";
import { definePlugin, t } from "lectern/core";
import { removeOfPlugin } from "./changes.ts";
import type { InstanceSettingsContext } from "./contract.ts";
import { HeldValues } from "./held_values.ts";
import { migrations } from "./migrations.ts";
import { mountRoutes } from "./routes.ts";

export default definePlugin({
  name: "instance_settings",
  provides: ["instance_settings"],
  grants: { write: ["instance_settings"] },
  settings: t.Object({
    language: t.Optional(
      t.String({
        minLength: 1,
        env: "APP_LANG",
        shared: true,
        description: "Language of readers who have none; by default the one that administrators choose, at first en",
      }),
    ),
  }),
  slots: instanceSettingSlots,
  migrations,
  events: ["settings_update"],
  setup(plugin) {
    const { cache, contribute, db, on, provide, settings, slot, texts } = plugin;
    const declared = () => slot("instance_setting");
    const rowsOf = (from: typeof db) => from.selectFrom("instance_settings").select(["name", "value"]).execute();
    const held = new HeldValues({
      ...{ declared, cache: cache.values },
      read: () => rowsOf(db),
      changed: () => texts.useLanguage(String(held.value("app_lang"))),
    });
    const context: InstanceSettingsContext = { ...plugin, held, declared };
    const service: InstanceSettings = {
      value(name) {
        const value = held.value(name);
        if (value === undefined)
          throw new Error(`Cannot read the setting "${name}": it is secret, or no plugin declares it`);
        // Values were validated by the rules of the plugin that has declared the type, or come from its schema.
        return value as never;
      },
      secret: (name) => String(held.secret(name) ?? ""),
      fresh: () => held.fresh(),
      version: () => held.version,
    };
    provide("instance_settings", service, { secret: "ships" });
    const completeRules = mountRoutes(context);
    contribute("instance_setting", {
      ...{ name: "app_lang", group: "appearance", label: "Default language", control: "choice" },
      help: "For readers who have not chosen one, and whose browser names none that is there.",
      options: () => texts.languages().map((language) => [language, nameOf(language)]),
      ...{ default: "en", rules: { app_lang: ["string", "max:40"] } },
      ...{ variable: "APP_LANG", given: settings.language },
      check: (value) =>
        texts.languages().includes(String(value)) ? undefined : { text: "There are no texts in this language." },
    });
    contribute(
      "activity",
      activityOf("settings_update", ({ result }) => [{ type: "settings_update", detail: result.names.join(", ") }], {
        phrase: "updated settings",
        label: "Settings updated",
        section: "Settings",
      }),
    );
    contribute("self_check", {
      name: "instance_settings/overridden",
      title: "No variable overrides a setting that administrators have chosen",
      async check() {
        const stored = new Set((await rowsOf(db)).map(({ name }) => name));
        const findings = new Findings();
        for (const { name, given, variable } of declared())
          if (given !== undefined && stored.has(name)) findings.add(`${name}, by ${variable ?? "the configuration"}`);
        return findings.as(
          "warning",
          "Remove the variable, or set the setting back, so that one place says what holds.",
        );
      },
    });
    on("plugin_purge", {
      async inTransaction({ name }, tx) {
        await removeOfPlugin.execute(tx.db, { plugin: name });
        await held.forget(tx);
      },
    });
    on("app_boot", {
      async inTransaction(_, tx) {
        completeRules();
        held.begin(await tx.db.selectFrom("instance_settings").select(["name", "value"]).execute());
      },
    });
  },
});

/** A language in itself, as people look for their own; its tag where that is none. */
function nameOf(language: string): string {
  const tag = language.replace("_", "-");
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag)) return language;
  return new Intl.DisplayNames([tag], { type: "language", fallback: "code" }).of(tag) ?? language;
}
