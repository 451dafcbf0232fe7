/**
 * The routes of the settings. What may be sent is what plugins declare, so the rules of the body are complete once all plugins are set up: the
 * documentation reads them after that.
 */
import type { InstanceSetting, SettingFault, SettingValue } from "lectern/contracts";
import {
  type ApiError,
  denied,
  endpoint,
  type InputObject,
  invalidFields,
  type Rules,
  type Viewer,
} from "lectern/core";
import { isDefault, writeSettings } from "./changes.ts";
import { type InstanceSettingsContext, type SettingChanges, settingsSchema } from "./contract.ts";
import { about } from "./docs.ts";

const PERMIT = "settings-manage";
/** Shown in place of a value that is set by a variable. */
const LOCKED = "This is set by :variable in the environment of the server.";

/** Mounts the routes. Returns what completes the rules of the body. */
export function mountRoutes(context: InstanceSettingsContext): () => void {
  const { app, held } = context;
  const rules: Record<string, Rules[string]> = {};
  app.get(
    "/settings",
    async () => {
      await held.fresh();
      return answerOf(context);
    },
    { permit: PERMIT, response: settingsSchema, ...endpoint("settings", "read", { about: about.read }) },
  );
  app.put(
    "/settings",
    async ({ viewer, input }) => {
      await change(context, viewer, input, rules);
      await held.fresh();
      return answerOf(context);
    },
    { permit: PERMIT, response: settingsSchema, ...endpoint("settings", "update", { about: about.update, rules }) },
  );
  return () => {
    for (const { name, rules: own } of context.declared())
      for (const [field, list] of Object.entries(own)) rules[field] = field === name ? [...list, "nullable"] : list;
  };
}

async function change(
  context: InstanceSettingsContext,
  viewer: Viewer,
  input: InputObject,
  rules: Rules,
): Promise<void> {
  const { declared, perform, validate } = context;
  // By the rules, which the types of the fields follow from.
  const sent = (await validate(rules, input, viewer)) as SettingChanges;
  const values: Record<string, SettingValue | null> = {};
  const secrets: Record<string, SettingValue | null> = {};
  const faults: Record<string, SettingFault> = {};
  for (const setting of declared()) {
    const { name, control, given, variable = name } = setting;
    const value = sent[name];
    if (value === undefined) continue;
    // A credential with a narrower scope than its user is no administrator's.
    if (setting.needsAdmin && !(viewer.admin && viewer.only === undefined)) throw denied();
    const own = value === null ? null : listed(value);
    const fault =
      given === undefined
        ? own !== null && !isDefault(setting, own) && (await setting.check?.(own))
        : { text: LOCKED, params: { variable } };
    if (fault) faults[name] = fault;
    else if (control === "secret") secrets[name] = own;
    else values[name] = own;
  }
  if (Object.keys(faults).length > 0) throw refusal(context, viewer, faults);
  if (Object.keys(values).length + Object.keys(secrets).length === 0) return;
  const draft = { values, secrets: Object.keys(secrets) };
  await perform("settings_update", viewer, draft, async (final, tx) => {
    // Secrets are no part of the event, which other plugins and logs see.
    const own = Object.fromEntries(final.secrets.map((name) => [name, secrets[name] ?? null]));
    await writeSettings(context, { ...final.values, ...own }, tx);
    return { names: [...Object.keys(final.values), ...final.secrets].sort() };
  });
}

/** A list as a list: a form numbers its rows, so that they are an object. */
function listed(value: SettingValue): SettingValue {
  return typeof value === "object" && !Array.isArray(value)
    ? (Object.values(value) as readonly Record<string, string>[])
    : value;
}

function refusal(
  { texts }: InstanceSettingsContext,
  viewer: Viewer,
  faults: Readonly<Record<string, SettingFault>>,
): ApiError {
  const language = viewer.language ?? texts.language();
  const told = Object.entries(faults).map(([name, { text, params }]) => [name, texts.say(text, params, language)]);
  return invalidFields(Object.fromEntries(told));
}

function answerOf({ declared, held }: InstanceSettingsContext) {
  const data = declared().map((setting) => ({
    ...{ name: setting.name as string, group: setting.group as string },
    ...(setting.control === "secret"
      ? { value: null, is_set: held.secret(setting.name) !== "" }
      : shownValue(setting, held.value(setting.name) ?? setting.default)),
    default: unfrozen(setting.default),
    is_secret: setting.control === "secret",
    locked_by: setting.given === undefined ? null : (setting.variable ?? setting.name),
  }));
  return { data, total: data.length };
}

function shownValue(setting: InstanceSetting, value: SettingValue) {
  return { value: unfrozen(value), is_set: !isDefault(setting, value) };
}

/** The same value, as the type of answers has it. */
function unfrozen(value: SettingValue) {
  return typeof value === "object" ? value.map((row) => ({ ...row })) : value;
}
