/** Commands on the table around the cursor: what is added, removed and merged, and what is selected by the keyboard. */
import type { Editor } from "@tiptap/core";
import type { Command } from "@tiptap/pm/state";
import * as tables from "@tiptap/pm/tables";
import { insertBlocks } from "./blocks.ts";

/** A header that says what is below it is a row of `thead`. */
const headerRow: Command = (state, dispatch) => {
  if (!tables.isInTable(state)) return false;
  const { map, table, tableStart } = tables.selectedRect(state);
  const row = table.firstChild;
  if (!row) return false;
  const isHeader = row.attrs.section === "thead";
  const { tableHeader, tableCell } = state.schema.nodes;
  const tr = state.tr.setNodeMarkup(tableStart, null, {
    ...row.attrs,
    section: isHeader ? "tbody" : "thead",
    group: null,
    sectionKept: null,
  });
  for (const pos of new Set(map.cellsInRect({ left: 0, right: map.width, top: 0, bottom: 1 })))
    tr.setNodeMarkup(tableStart + pos, isHeader ? tableCell : tableHeader, table.nodeAt(pos)?.attrs);
  dispatch?.(tr);
  return true;
};

/** The commands by name. */
export const TABLE_COMMANDS = {
  "row-above": tables.addRowBefore,
  "row-below": tables.addRowAfter,
  "column-before": tables.addColumnBefore,
  "column-after": tables.addColumnAfter,
  "header-row": headerRow,
  "header-column": tables.toggleHeaderColumn as Command,
  merge: tables.mergeCells,
  split: tables.splitCell,
  "delete-row": tables.deleteRow,
  "delete-column": tables.deleteColumn,
  "delete-table": tables.deleteTable,
} as const satisfies Readonly<Record<string, Command>>;

/** Inserts a table of three columns with a header. */
export function insertTable(editor: Editor): void {
  const row = (tag: string) => `<tr>${`<${tag}></${tag}>`.repeat(3)}</tr>`;
  insertBlocks(editor, `<table><thead>${row("th")}</thead><tbody>${row("td").repeat(2)}</tbody></table>`);
}

/** Moves to the next cell, or the one before; after the last one adds a row. Whether the cursor is in a table. */
export function moveCell({ state, view }: Editor, by: 1 | -1): boolean {
  if (!tables.isInTable(state)) return false;
  if (tables.goToNextCell(by)(state, view.dispatch)) return true;
  if (by < 0) return true;
  tables.addRowAfter(state, view.dispatch);
  tables.goToNextCell(1)(view.state, view.dispatch);
  return true;
}
