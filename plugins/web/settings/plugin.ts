/**
 * Settings of the instance for those who look after it: users, roles, the audit log, the recycle bin, what the runtime is made
 * of and its upkeep, and who may do what with a single item. Every number and every act is the API's.
 */
import type { MenuEntry } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { mountAudit } from "./audit_log.ts";
import { mountItemPermissions } from "./item_permissions.ts";
import { mountMaintenance } from "./maintenance.ts";
import { mountBin } from "./recycle_bin.ts";
import { mountRoles } from "./roles.ts";
import { mountSystem } from "./system.ts";
import { mountUsers } from "./users.ts";

const LOG = { all: ["settings-manage", "users-manage"] } as const;
const BIN = { all: ["settings-manage", "restrictions-manage-all"] } as const;

const ENTRIES: readonly Omit<MenuEntry, "menu">[] = [
  { path: "/settings/users", text: "Users", icon: "users", admits: ["users-manage"], order: 10 },
  { path: "/settings/roles", text: "Roles", icon: "roles", admits: ["user-roles-manage"], order: 20 },
  { path: "/settings/audit", text: "Audit log", icon: "audit", admits: LOG, order: 60 },
  { path: "/settings/recycle-bin", text: "Recycle bin", icon: "bin", admits: BIN, order: 70 },
  { path: "/settings/maintenance", text: "Maintenance", icon: "settings", admits: ["settings-manage"], order: 80 },
  { path: "/settings/system", text: "System and plugins", icon: "system", admits: ["settings-manage"], order: 90 },
];

export default definePlugin({
  name: "web_settings",
  requires: ["mail", "users", "web"],
  setup(context) {
    const { contracts, contribute, site, slot, texts } = context;
    const { web } = contracts;
    for (const entry of ENTRIES) contribute("menu", { menu: "settings", ...entry });
    mountUsers(site, web, {
      texts,
      canInvite: () => contracts.mail.isConfigured,
      commonPassword: contracts.users.commonPassword,
    });
    mountRoles(site, web, () => slot("permission"));
    mountAudit(site, web, LOG, () => slot("content"));
    mountBin(site, web, BIN);
    mountMaintenance(site, web);
    mountSystem(site, web);
    mountItemPermissions(site, web);
  },
});
