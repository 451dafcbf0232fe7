import type { Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";
import type { Key, Snippets, Usage, Webhook } from "./api_types.ts";
import type { DeliveriesData, DeliveryData } from "./deliveries.ts";
import type { HostCreatedData } from "./host_created.ts";
import type { HostData } from "./host_detail.ts";
import type { HostListData } from "./host_list.ts";
import type { HostNameData } from "./hosts.ts";
import type { CreatedData, SetupData } from "./key_created.ts";
import type { KeyFormData } from "./key_form.ts";
import type { KeyKind } from "./key_kinds.ts";
import type { KeyListData } from "./key_list.ts";
import type { StatisticsData } from "./statistics.ts";
import type { HookFormData } from "./webhook_form.ts";
import type { HookListData } from "./webhook_list.ts";

/** What the files of this plugin share. */
export interface IntegrationsContext extends Pick<PluginContext, "baseUrl" | "app"> {
  readonly web: Web;
}

/** The path of the integrations. */
export const INTEGRATIONS = "/settings/integrations";

/** The permissions that the screens need, as the API requires them. */
export const PERMIT = ["settings-manage"] as const;

declare module "lectern/core" {
  interface Places {
    "statistics/figures": undefined;
  }
  interface Views {
    "integrations/budget": Usage;
    "integrations/deliveries": DeliveriesData;
    "integrations/delivery": DeliveryData;
    "integrations/host": HostData;
    "integrations/host_created": HostCreatedData;
    "integrations/host_edit": HostNameData;
    "integrations/host_new": HostNameData;
    "integrations/hosts": HostListData;
    "integrations/key": { readonly key: Key; readonly kind: KeyKind };
    "integrations/key_created": CreatedData;
    "integrations/key_form": KeyFormData;
    "integrations/key_setup": SetupData;
    "integrations/keys": KeyListData;
    "integrations/snippets": Snippets;
    "integrations/webhook_created": { readonly title: string; readonly hook: Webhook & { readonly secret: string } };
    "integrations/webhook_form": HookFormData;
    "integrations/webhooks": HookListData;
    "statistics/show": StatisticsData;
  }
}
