import type { PluginContext } from "lectern/core";
import type { TableName } from "lectern/db";

/** Tells whether a table of another plugin is there: one writes it, and not only where it is there. Asked once all plugins are set up. */
export function presentTables({ runtime }: Pick<PluginContext, "runtime">): (table: TableName) => boolean {
  return (table) =>
    runtime
      .plugins()
      .some(
        ({ plugin: { grants, optionalTables } }) => grants.write?.includes(table) && !optionalTables?.includes(table),
      );
}
