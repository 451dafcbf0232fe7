import { definePlugin, HOUR_MS } from "lectern/core";
import { doctorCommand } from "./command.ts";
import { checkAndStore, resultFigure, resultMetrics } from "./last_results.ts";
import { migrations } from "./migrations.ts";
import { settings } from "./settings.ts";

/**
 * Checks the instance by the contributions to the slot `self_check`: by the command `doctor`, which also repairs, and by a
 * schedule, whose last results are figures of monitoring and of the screen of the system.
 */
export default definePlugin({
  name: "doctor",
  permissions: {
    write: ["self_check_results"],
    slots: ["metric", "screen_figure"],
    schedules: ["check"],
  },
  settings,
  commands: { doctor: doctorCommand },
  migrations,
  setup(context) {
    const { contribute, every, settings: chosen } = context;
    if (chosen.hours > 0) every("check", chosen.hours * HOUR_MS, () => checkAndStore(context));
    for (const metric of resultMetrics(context)) contribute("metric", metric);
    contribute("screen_figure", resultFigure(context));
  },
});
