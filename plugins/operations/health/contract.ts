import type { PluginContext } from "lectern/core";
import type { settings } from "./settings.ts";

/** What the files of this plugin share. */
export type HealthContext = PluginContext<"peers" | "telemetry", "jobs", typeof settings>;
