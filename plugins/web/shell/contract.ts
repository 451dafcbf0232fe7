import type {
  ConfirmSpec,
  FieldSpec,
  FormSpec,
  PageSpec,
  Parts,
  ScreenFacts,
  TableSpec,
  Toolbar,
  UserFace,
} from "lectern/contracts";
import type { HtmlPart, PluginContext } from "lectern/core";
import type { ComparedTexts } from "./difference.ts";
import type { FooterLink, Frame } from "./layout.ts";
import type { PendingForm } from "./pending_form.ts";
import type { ChosenPasswordData, ForgottenPasswordData, SignInData } from "./sign_in.ts";

/** What the files of this plugin share. */
export interface ShellContext
  extends Pick<
    PluginContext<"instance_settings" | "mail" | "sessions" | "system">,
    "callAs" | "children" | "contracts" | "log" | "onStart" | "runtime" | "app" | "slot" | "texts"
  > {
  /** The origin of APP_URL. */
  readonly origin: string;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
}

declare module "lectern/contracts" {
  interface SettingValues {
    /** Such as "#24527a"; "" for that of Lectern. */
    app_color: string;
    app_color_dark: string;
    app_footer_links: readonly FooterLink[];
    /** Markup of administrators. */
    app_custom_head: string;
  }
}

declare module "lectern/core" {
  interface Places {
    "screen/footer": ScreenFacts;
  }
  interface Views {
    "layout/footer": Frame;
    "layout/header": Frame;
    "parts/avatar": UserFace;
    "parts/badge": { readonly kind: "good" | "bad" | "note"; readonly text: string };
    "parts/button": Parameters<Parts["button"]>[1];
    "parts/confirm": ConfirmSpec;
    "parts/copyable": Parameters<Parts["copyable"]>[1];
    "parts/dialog_link": Parameters<Parts["dialogLink"]>[1];
    "parts/difference": ComparedTexts;
    "parts/field": FieldSpec;
    "parts/form": FormSpec;
    "parts/notice": { readonly kind: "good" | "bad" | "note"; readonly text: HtmlPart };
    "parts/pager": PageSpec;
    "parts/table": TableSpec;
    "parts/tabs": { readonly label: string; readonly tabs: Parameters<Parts["tabs"]>[2] };
    "parts/toolbar": Toolbar;
    "web/choose_password": ChosenPasswordData;
    "web/fault": { readonly status: number; readonly message: string };
    "web/forgotten": ForgottenPasswordData;
    "web/held": PendingForm;
    "web/keys": object;
    "web/sign_in": SignInData;
  }
}
