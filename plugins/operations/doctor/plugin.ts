import { DAY_MS, definePlugin } from "lectern/core";
import { coreChecks } from "./checks/core_checks.ts";
import { doctorCommand } from "./command.ts";
import { checkAndStore, resultFigure, resultMetrics } from "./last_results.ts";
import { migrations } from "./migrations.ts";

/** Between two checks that a server runs by itself: they read all tables, and what they find is not more urgent. */
const CHECK_EVERY_MS = DAY_MS;

/**
 * Checks the instance, by checks of the runtime's parts and the contributions to the slot `self_check`: by the command `doctor`, which also repairs, and by a
 * schedule, whose last results are figures of monitoring and of the screen of the system.
 */
export default definePlugin({
  name: "doctor",
  grants: { write: ["self_check_results"] },
  commands: { doctor: doctorCommand },
  migrations,
  checks: coreChecks,
  setup(context) {
    const { contribute, jobs } = context;
    jobs.every("check", CHECK_EVERY_MS, () => checkAndStore(context));
    for (const metric of resultMetrics(context)) contribute("metric", metric);
    contribute("screen_part", resultFigure(context));
  },
});
