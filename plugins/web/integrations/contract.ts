import type { Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export interface IntegrationsContext extends Pick<PluginContext, "baseUrl" | "site"> {
  readonly web: Web;
}

/** The path of the integrations. */
export const INTEGRATIONS = "/settings/integrations";

/** The permissions that the screens need, as the API requires them. */
export const ADMITS = ["settings-manage"] as const;
