/**
 * The forms of the logo and of the icon in browsers: what is shown now, an upload, and the way back to what ships. One that a variable sets has none
 * of these: the form of the settings shows it locked.
 */
import type { Ui, Visit } from "lectern/contracts";
import { type FormErrors, formErrors, type Html, html, type PluginContext } from "lectern/core";
import type { InstanceScreensContext, PicturesData, ShownPicture } from "./contract.ts";

const PERMIT = "settings-manage";
const SCREEN = "/settings/appearance";
/** What the API takes. */
const ACCEPTED = "image/png,image/jpeg,image/webp,image/gif,image/avif";
const NONE = "none";

const PICTURES = [
  { setting: "app_logo", name: "logo", title: "Logo", about: "Beside the name, at most 28 pixels high." },
  { setting: "app_icon", name: "icon", title: "Icon in browsers", about: "In tabs and on installed sites; square." },
] as const;

/** Adds the forms to the screen, and mounts what they are sent to. */
export function mountPictures(
  { app, web }: InstanceScreensContext,
  { contribute, contracts }: PluginContext<"instance_settings" | "system" | "web">,
): void {
  const { parts } = web;
  const view = web.view(
    "instance/pictures",
    (data, ui) => html`${data.pictures.map((picture) => drawn(picture, data, ui))}`,
  );
  const drawn = ({ name, setting, url, isOwn }: ShownPicture, { formErrors: wrong }: PicturesData, ui: Ui): Html => {
    const { t } = ui;
    const { title = "", about = "" } = PICTURES.find((each) => each.name === name) ?? {};
    const field = parts.field(ui, {
      ...{ name: `image_${name}`, label: t("Picture"), type: "file", accept: ACCEPTED, required: true },
      help: t("PNG, JPEG, WebP, GIF or AVIF, of at most 5 MB. It is scaled down and stored as PNG."),
      errors: wrong.errors[`image_${name}`],
    });
    const action = `${SCREEN}/${name}`;
    return html`<section aria-labelledby="picture-${name}"><h2 id="picture-${name}">${t(title)}</h2>
<p>${t(about)}</p>${url !== "" && html`<p class="present-picture"><img src="${url}" alt="${t("The present one")}" height="${name === "logo" ? 28 : 32}"></p>`}
${parts.form(ui, { action, fields: field, submit: t("Upload"), files: true, label: t(title) })}
<div class="actions">${isOwn && parts.button(ui, { action: `${action}/reset`, text: t("Show the shipped one"), icon: "restore" })}
${setting === "app_logo" && url !== "" && parts.button(ui, { action: `${action}/${NONE}`, text: t("Show no logo"), icon: "delete" })}</div></section>`;
  };
  const shown = async (visit: Visit, wrong: FormErrors = formErrors(undefined)): Promise<Html> => {
    const { data } = await visit.get("/api/settings");
    const of = (name: string) => data.find((each) => each.name === name);
    const present = {
      app_logo: contracts.system.logo,
      app_icon: contracts.system.icon(32) || visit.ui.url("/web/assets/favicon.svg"),
    };
    const pictures = PICTURES.flatMap(({ name, setting }): ShownPicture[] => {
      const found = of(setting);
      if (!found || found.locked_by !== null || !visit.ui.serves(`/api/settings/${name}`, "POST")) return [];
      return [{ name, setting, url: present[setting], isOwn: found.is_set }];
    });
    return view({ pictures, formErrors: wrong }, visit.ui);
  };
  contribute("screen_part", { at: "settings/appearance/below", draw: (_, visit) => shown(visit) });
  for (const { name, setting, title } of PICTURES) {
    const back = (visit: Visit, text: string) => visit.goTo(SCREEN, visit.ui.t(text));
    web.form(app.site, `${SCREEN}/${name}`, PERMIT, async (visit) => {
      const sent = await visit.send("POST", `/api/settings/${name}`, { image: visit.input[`image_${name}`] });
      if (sent.ok) return back(visit, "The picture is shown.");
      const { errors, ...wrong } = formErrors(sent);
      const ofField = { ...wrong, errors: { [`image_${name}`]: errors.image ?? [wrong.error ?? sent.message] } };
      const heading = html`<h1>${visit.ui.t(title)}</h1>`;
      const body = html`${heading}${await shown(visit, ofField)}`;
      return { title: visit.ui.t(title), menu: SCREEN, status: wrong.status, body };
    });
    web.form(app.site, `${SCREEN}/${name}/reset`, PERMIT, (visit) => choose(visit, setting, null));
    if (setting === "app_logo")
      web.form(app.site, `${SCREEN}/${name}/${NONE}`, PERMIT, (visit) => choose(visit, setting, NONE));
    const choose = async (visit: Visit, of: string, value: string | null) => {
      const sent = await visit.send("PUT", "/api/settings", { [of]: value });
      return sent.ok ? back(visit, "The settings are saved.") : visit.goTo(SCREEN, sent.message);
    };
  }
}
