import type { Users, Web } from "lectern/contracts";
import type { PluginContext } from "lectern/core";
import type { AuditData } from "./audit_log.ts";
import type { ItemPermissionsData } from "./item_permissions_form.ts";
import type { MaintenanceData, OrphanedFiles, UnusedImagesData } from "./maintenance.ts";
import type { BinData } from "./recycle_bin.ts";
import type { RoleFormData } from "./role_form.ts";
import type { ListedRole } from "./roles.ts";
import type { SystemData } from "./system.ts";
import type { UserFormData } from "./user_form.ts";
import type { UsersData } from "./users.ts";

/** What the files of this plugin share. */
export interface SettingsContext extends Pick<PluginContext, "app" | "slot" | "texts"> {
  readonly web: Web;
  /** Whether this instance sends mail. */
  canInvite(): boolean;
  readonly commonPassword: Users["commonPassword"];
  /** Address of the script of the permissions of an item. */
  readonly permissionsScript: string;
}

declare module "lectern/core" {
  interface Places {
    "system/figures": undefined;
  }
  interface Views {
    "settings/audit": AuditData;
    "settings/item_permissions": ItemPermissionsData;
    "settings/lost_files": OrphanedFiles;
    "settings/maintenance": MaintenanceData;
    "settings/recycle_bin": BinData;
    "settings/role": RoleFormData;
    "settings/roles": { readonly roles: readonly ListedRole[] };
    "settings/system": SystemData;
    "settings/unused_images": UnusedImagesData;
    "settings/user": UserFormData;
    "settings/users": UsersData;
  }
}
