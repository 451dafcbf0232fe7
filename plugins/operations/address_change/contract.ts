/** What the plugin of the instance's address declares: the addresses it was served at, its event, and what its files share. */
import type { Generated } from "kysely";
import type { PluginContext } from "lectern/core";
import type { TableName } from "lectern/db";

/** The values of APP_URL that the instance was served with. */
export interface ServedAddressesTable {
  url: string;
  /** When a server last started with it. */
  used_at: Generated<string>;
}

/** Items of a kind whose texts get another address. */
export interface AddressReplacement {
  readonly kind: string;
  readonly ids: readonly number[];
}

/** What the files of this plugin share. */
export type AddressContext = PluginContext<never, TableName>;

declare module "lectern/db" {
  interface Tables {
    served_addresses: ServedAddressesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** The address of the instance is replaced in the texts of items, without a revision and without another time of change. */
    address_replace: { draft: AddressReplacement; result: AddressReplacement };
  }
}
