/**
 * Settings of the instance that administrators change while it runs, on screens and by the API, in place of variables of the environment. Each
 * is declared by the plugin that reads it, with the variable that may set it as well: a variable wins, and the setting is locked.
 */
import { deepFreeze, type Rules, type SlotSpecs } from "lectern/core";

/**
 * Name of a setting → the type of its value. A plugin adds its own:
 * `declare module "lectern/contracts" { interface SettingValues { notes_color: string } }`.
 */
export interface SettingValues {}

/** The name of a setting. */
export type SettingName = Extract<keyof SettingValues, string>;

/** The form that a setting is changed by: those of a group are on one screen. */
export type SettingGroup = "appearance" | "access" | "mail";

/** A value as it is stored and sent: a text, a switch, a number, or a list of rows with texts. */
export type SettingValue = string | boolean | number | readonly Readonly<Record<string, string>>[];

/**
 * A setting: the contribution to the slot `instance_setting`.
 * @example
 * context.contribute("instance_setting", {
 *   // A name that the plugin has added to `SettingValues`.
 *   name: "notes_title" as never,
 *   group: "appearance",
 *   label: "Title of the notes",
 *   control: "text",
 *   default: "Notes",
 *   rules: { notes_title: ["string", "max:40"] },
 * });
 */
export interface InstanceSetting {
  readonly name: SettingName;
  readonly group: SettingGroup;
  /** An English text, which `texts` translate, as all texts here. */
  readonly label: string;
  readonly help?: string;
  /** What it is changed with: "links" are rows of a text and an address, a "picture" has a form of its own. Those that are "secret" are written and never shown. */
  readonly control: "text" | "lines" | "number" | "switch" | "choice" | "color" | "links" | "picture" | "secret";
  /** Smaller ones come first in the form; 50 by default. */
  readonly order?: number;
  /** Of a choice: values with what they are called; `say` translates an English text. */
  readonly options?: (say: (text: string) => string) => SettingOptions | Promise<SettingOptions>;
  /** Whether administrators alone may change it, and not all who may manage settings, as what it says runs in the browsers of others. */
  readonly needsAdmin?: true;
  readonly default: SettingValue;
  /** The rules of a value under its name, and of what is in a list under names such as `notes_links.*.url`. */
  readonly rules: Rules;
  /** The variable of the environment that may set it. */
  readonly variable?: string;
  /** Its value by the operator, of that variable or the "lectern" block; undefined where administrators choose. */
  readonly given?: SettingValue | undefined;
  /** What is wrong with a new value beyond its rules, as a text of the catalogue with its placeholders; undefined for nothing. */
  readonly check?: (value: SettingValue) => SettingFault | undefined | Promise<SettingFault | undefined>;
}

/** The values of a choice, with what they are called. */
export type SettingOptions = readonly (readonly [value: string, text: string])[];

/** What is wrong with a value: an English text with placeholders. */
export interface SettingFault {
  readonly text: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

/**
 * The settings of the instance as they are now.
 * @example
 * export default definePlugin({
 *   name: "motto",
 *   requires: ["instance_settings"],
 *   setup({ app, contracts: { instance_settings: settings }, contribute }) {
 *     contribute("instance_setting", {
 *       ...{ name: "motto", group: "appearance", label: "Motto", control: "text", default: "Welcome" },
 *       rules: { motto: ["string", "max:100"] },
 *     });
 *     app.get("/motto", () => ({ motto: settings.value("motto") }), { permit: "public" });
 *   },
 * });
 *
 * declare module "lectern/contracts" {
 *   interface SettingValues { motto: string }
 * }
 */
export interface InstanceSettings {
  /**
   * The value of a setting: that of its variable, else what administrators have chosen, else its default. At once; what another server changed
   * holds here as soon as its notification is there. Throws for one that is secret, and for one that no plugin declares.
   */
  value<Name extends SettingName>(name: Name): SettingValues[Name];
  /** The value of one that is secret, such as a password of another server. */
  secret(name: SettingName): string;
  /**
   * Has the values be those of the store now: a promise only where they have to be read, as after a change on another server. Screens and
   * what authenticates a request wait for it.
   */
  fresh(): void | Promise<void>;
  /** A text that is another one once a value is, for the keys of what is kept. It says nothing of the values. */
  version(): string;
}

declare module "lectern/core" {
  interface Contracts {
    instance_settings: InstanceSettings;
  }
  interface Slots {
    instance_setting: InstanceSetting;
  }
}

/** What is known of this slot beside its type. */
export const instanceSettingSlots = deepFreeze({
  instance_setting: {
    members: {
      name: "text",
      group: "text",
      label: "text",
      help: "optional_text",
      control: "text",
      order: "optional_number",
      needsAdmin: "optional_flag",
      options: "optional_function",
      default: "any",
      rules: "object",
      variable: "optional_text",
      given: "optional_any",
      check: "optional_function",
    },
  },
} as const satisfies SlotSpecs);
