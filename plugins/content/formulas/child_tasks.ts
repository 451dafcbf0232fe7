import type { ChildTask } from "lectern/core";
import { type Placed, place } from "./place.ts";
import { type Target, typeset } from "./typeset.ts";

/** A page whose formulas are to be shown. */
export interface FormulasTask extends Placed {
  readonly target: Target;
}

/** Tasks of child processes, by name. */
export const tasks = {
  formulas: (task: FormulasTask) => place(task, (formula) => typeset(formula, task.target)),
} satisfies Record<string, ChildTask>;
