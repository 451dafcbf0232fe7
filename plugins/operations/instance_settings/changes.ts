/** Writes the settings. A value that is the default is no row. */
import type { InstanceSetting, SettingValue } from "lectern/contracts";
import { contributorOf, type EventTransaction } from "lectern/core";
import { prepared } from "lectern/db";
import type { InstanceSettingsContext, InstanceSettingsTable, SettingChanges } from "./contract.ts";

const store = prepared("instance_settings.store", (db, p: InstanceSettingsTable) =>
  db
    .insertInto("instance_settings")
    .values({ name: p.name, value: p.value, plugin: p.plugin })
    .onConflict((known) =>
      known
        .column("name")
        .doUpdateSet((eb) => ({ value: eb.ref("excluded.value"), plugin: eb.ref("excluded.plugin") })),
    ),
);

const remove = prepared("instance_settings.remove", (db, p: { name: string }) =>
  db.deleteFrom("instance_settings").where("name", "=", p.name),
);

/** Removes what a removed plugin has declared. */
export const removeOfPlugin = prepared("instance_settings.removeOfPlugin", (db, p: { plugin: string }) =>
  db.deleteFrom("instance_settings").where("plugin", "=", p.plugin),
);

/** Writes new values, in the transaction of their event. */
export async function writeSettings(
  { declared, held }: Pick<InstanceSettingsContext, "declared" | "held">,
  changes: SettingChanges,
  tx: EventTransaction,
): Promise<void> {
  const settings = new Map<string, InstanceSetting>(declared().map((each) => [each.name, each]));
  for (const [name, value] of Object.entries(changes)) {
    const setting = settings.get(name);
    if (!setting) continue;
    if (value === null || isDefault(setting, value)) await remove.execute(tx.db, { name });
    else await store.execute(tx.db, { name, value: JSON.stringify(value), plugin: contributorOf(setting) ?? "" });
  }
  await held.forget(tx);
}

/** Whether a value is the default, as an empty text is where the default is none. */
export function isDefault({ default: byDefault }: InstanceSetting, value: SettingValue): boolean {
  return value === "" || JSON.stringify(value) === JSON.stringify(byDefault);
}
