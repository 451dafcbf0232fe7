/** What the plugin of the settings declares: its table, the answers of its routes, its event, and what its files share. */
import type { InstanceSetting, SettingValue } from "lectern/contracts";
import { nullable, type PluginContext, type Static, t } from "lectern/core";
import type { HeldValues } from "./held_values.ts";

/** A value that administrators have chosen. */
export interface InstanceSettingsTable {
  name: string;
  /** JSON. */
  value: string;
  /** The plugin that has declared it. */
  plugin: string;
}

const value = (description: string) =>
  t.Union([t.String(), t.Boolean(), t.Number(), t.Array(t.Record(t.String(), t.String())), t.Null()], { description });

/** A setting with its value. */
export const settingSchema = t.Object(
  {
    name: t.String(),
    group: t.String({ description: "The form that it is changed by" }),
    value: value("Null for a secret, which is never shown"),
    default: value("The value without a choice; null for a secret"),
    is_set: t.Boolean({ description: "Whether it is another value than the default, or a secret that is there" }),
    is_secret: t.Boolean(),
    locked_by: nullable(t.String({ description: "The variable of the environment that sets it" })),
  },
  { $id: "InstanceSetting" },
);

/** The settings of the instance. */
export const settingsSchema = t.Object(
  { data: t.Array(settingSchema), total: t.Integer({ minimum: 0 }) },
  { $id: "InstanceSettings" },
);

/** New values by name; null for the default. */
export type SettingChanges = Readonly<Record<string, SettingValue | null>>;

/** What the files of this plugin share. */
export interface InstanceSettingsContext
  extends Pick<
    PluginContext<never, "instance_settings">,
    "app" | "db" | "log" | "perform" | "slot" | "texts" | "validate"
  > {
  readonly held: HeldValues;
  /** All that plugins declare; complete once all are set up. */
  declared(): readonly InstanceSetting[];
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/settings": Static<typeof settingsSchema>;
    "PUT /api/settings": Static<typeof settingsSchema>;
  }
  interface SettingValues {
    /** The language of readers who have not chosen one. */
    app_lang: string;
  }
}

declare module "lectern/db" {
  interface Tables {
    instance_settings: InstanceSettingsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** An administrator changes settings: new values by name, null for the default. Of secrets there are the names alone. */
    settings_update: {
      draft: { readonly values: SettingChanges; readonly secrets: readonly string[] };
      result: { readonly names: readonly string[] };
    };
  }
}
