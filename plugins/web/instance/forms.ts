/** The screens of settings, one for each group. They read and change the settings by the API, as its clients do. */
import type { Screen, Visit } from "lectern/contracts";
import { formErrors, html, type InputObject } from "lectern/core";
import type { InstanceScreensContext, SettingsScreen, ShownSetting } from "./contract.ts";
import { inputOf, settingField } from "./fields.ts";

const PERMIT = "settings-manage";
/** The order of a setting that says none. */
const ORDER = 50;
/** Of these screens alone, so that all others load no more. */
const STYLE = `.field.locked strong{display:block;font-weight:inherit}
.field.locked output{display:block;padding:.5rem .75rem;border:1px dashed var(--line);border-radius:var(--pico-border-radius);overflow-wrap:anywhere}
.field.locked small{color:var(--quiet)}
.color-setting{position:relative;max-width:20rem}
.color-setting .swatch{position:absolute;inset-inline-end:.6rem;top:2.25rem;width:2.4rem;height:1.4rem;border-radius:.2rem}
.present-picture img{width:auto;height:2rem}
.link-row{display:grid;grid-template-columns:2fr 3fr;gap:.5rem}
.link-rows>small{display:block;margin-bottom:.5rem}
`;

/** Mounts the screens. */
export function mountForms(context: InstanceScreensContext, screens: readonly SettingsScreen[]): void {
  const { app, slot, web } = context;
  const { parts } = web;
  const view = web.view("instance/settings", (data, ui) => {
    const { added, formErrors: wrong, path, settings, title } = data;
    const fields = html`${settings.map((setting) => settingField(parts, setting, data, ui))}`;
    return html`<h1>${title}</h1>
${parts.form(ui, { action: path, fields, submit: ui.t("Save"), error: wrong.error, label: title })}${added}`;
  });
  const settingsOf = async (visit: Visit, group: SettingsScreen["group"]): Promise<ShownSetting[]> => {
    const { data } = await visit.get("/api/settings");
    const values = new Map(data.map((each) => [each.name, each]));
    const own = slot("instance_setting").filter(
      (setting) => setting.group === group && (setting.needsAdmin !== true || visit.viewer.admin),
    );
    const shown = own.flatMap((setting) => {
      const value = values.get(setting.name);
      return value ? [{ setting, value }] : [];
    });
    const whole = shown.map(async ({ setting, value }) => {
      const choices = (await setting.options?.(visit.ui.t)) ?? [];
      return { ...setting, shown: value, choices };
    });
    return (await Promise.all(whole)).sort((a, b) => (a.order ?? ORDER) - (b.order ?? ORDER));
  };
  for (const { group, path, title } of screens) {
    web.places(`settings/${group}/below`);
    const shown = async (visit: Visit, wrong = formErrors(undefined), typed: InputObject = {}): Promise<Screen> => {
      const { t } = visit.ui;
      const data = {
        ...{ title: t(title), path, typed, formErrors: wrong },
        settings: await settingsOf(visit, group),
        added: await web.addedParts(`settings/${group}/below`, undefined, visit),
      };
      return { title: data.title, body: view(data, visit.ui), status: wrong.status, style: STYLE };
    };
    web.screen(app.site, path, PERMIT, (visit) => shown(visit));
    web.form(app.site, path, PERMIT, async (visit) => {
      const input = inputOf(await settingsOf(visit, group), visit.input);
      const sent = await visit.send("PUT", "/api/settings", input);
      return sent.ok ? visit.goTo(path, visit.ui.t("The settings are saved.")) : shown(visit, formErrors(sent), input);
    });
  }
}
