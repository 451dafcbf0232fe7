import type { Users, Web } from "lectern/contracts";
import type { FormErrors, PluginContext } from "lectern/core";
import type { NewAddressData } from "./address.ts";
import type { LeaveData } from "./leave.ts";
import type { Me, ProfileData } from "./profile.ts";
import type { Session } from "./sessions.ts";
import type { NewTokenData, Token } from "./tokens.ts";

/** What the files of this plugin share. */
export interface AccountContext extends Pick<PluginContext, "app" | "texts"> {
  readonly users: Pick<Users, "commonPassword">;
  readonly web: Web;
  /** Whether this instance sends mail. */
  sendsMail(): boolean;
}

declare module "lectern/core" {
  interface Places {
    "profile/below": Me;
  }
  interface Views {
    "account/address": NewAddressData;
    "account/leave": LeaveData;
    "account/new_token": NewTokenData;
    "account/password": { readonly me: Me; readonly formErrors: FormErrors };
    "account/profile": ProfileData;
    "account/sessions": { readonly sessions: readonly Session[] };
    "account/token_made": Token & { readonly secret: string };
    "account/tokens": { readonly tokens: readonly Token[] };
  }
}
