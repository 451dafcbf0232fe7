import type { Answers, InstanceSetting, SettingGroup, SettingOptions, Web } from "lectern/contracts";
import type { FormErrors, HtmlPart, InputObject, PluginContext } from "lectern/core";

/** A setting as it is declared, with its value. */
export interface ShownSetting extends InstanceSetting {
  readonly shown: Answers["/api/settings"]["data"][number];
  /** Of a choice, in the language of the reader. */
  readonly choices: SettingOptions;
}

/** Data of a screen of settings. */
export interface SettingsFormData {
  readonly title: string;
  readonly path: string;
  readonly settings: readonly ShownSetting[];
  /** What was typed, by name, where the form is shown again. */
  readonly typed: InputObject;
  readonly formErrors: FormErrors;
  /** Parts that plugins add. */
  readonly added: HtmlPart;
}

/** Data of the screen of backups and updates; undefined for what is left out. */
export interface UpkeepData {
  readonly backups: Answers["/api/backups"] | undefined;
  readonly update: Answers["/api/system/update"] | undefined;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

/** Data of the forms of the logo and the icon. */
export interface PicturesData {
  readonly pictures: readonly ShownPicture[];
  readonly formErrors: FormErrors;
}

/** A picture of the instance that can be uploaded. */
export interface ShownPicture {
  readonly setting: "app_logo" | "app_icon";
  /** As the paths of its forms have it. */
  readonly name: "logo" | "icon";
  /** The address of the one that is shown; "" for none. */
  readonly url: string;
  /** Whether it is another one than ships. */
  readonly isOwn: boolean;
}

/** A screen of settings: those of a group. */
export interface SettingsScreen {
  readonly group: SettingGroup;
  readonly path: `/settings/${SettingGroup}`;
  readonly title: string;
  readonly icon: string;
  readonly order: number;
}

/** What the files of this plugin share. */
export interface InstanceScreensContext extends Pick<PluginContext, "app" | "slot"> {
  readonly web: Web;
}

declare module "lectern/core" {
  interface Places {
    "settings/access/below": undefined;
    "settings/appearance/below": undefined;
    "settings/mail/below": undefined;
  }
  interface Views {
    "instance/pictures": PicturesData;
    "instance/settings": SettingsFormData;
    "instance/upkeep": UpkeepData;
    "instance/try_mail": { readonly to: string; readonly formErrors: FormErrors };
  }
}
