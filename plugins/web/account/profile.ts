/**
 * The profile: name, picture, language, time zone and the editor of pages, which are stored with the account and are the same in every browser, and the
 * appearance, which a cookie keeps for one browser, as a device has its own light. What administrators manage is shown and not changed.
 */
import type { Answers, Parts, Screen, Ui, Visit, Web } from "lectern/contracts";
import { type FormErrors, formErrors, type Html, html, isUpload } from "lectern/core";
import { languageNames } from "../_paths/language_names.ts";
import type { AccountContext } from "./contract.ts";

/** The signed-in user in the API. */
export type Me = Answers["/api/users/me"];

/** Data of the screen. */
export interface ProfileData {
  readonly me: Me;
  readonly languages: readonly (readonly [value: string, text: string])[];
  readonly scheme: string;
  readonly density: string;
  /** Whether a mail with a link can change the address. */
  readonly canChangeAddress: boolean;
  readonly formErrors: FormErrors;
  /** Parts that other plugins add. */
  readonly added: Html;
}

const PATH = "/my-account/profile";
const SCHEMES = ["light", "dark"];
const YEAR_SECONDS = 31_536_000;

/** Mounts the profile. */
export function mountProfile({ app, sendsMail, texts, web }: AccountContext): void {
  const { parts } = web;
  web.places("profile/below");
  const view = web.view("account/profile", (data, ui) => {
    const { t } = ui;
    const { me, formErrors: wrong } = data;
    return html`<div class="head-line"><h1>${t("Profile")}</h1>
<a href="${ui.url(`/user/${encodeURIComponent(me.slug)}`)}">${t("As others see you")}</a></div>
${parts.form(ui, { action: PATH, fields: profileFields(parts, data, ui), submit: t("Save"), files: true, error: wrong.error, label: t("Profile") })}
<section><h2>${t("Appearance")}</h2>
${parts.form(ui, { action: `${PATH}/scheme`, fields: appearanceFields(parts, data, ui), submit: t("Apply"), label: t("Appearance") })}</section>
${account(web, data, ui)}${data.added}
<section><h2>${t("Delete your account")}</h2>
<p>${t("Your content is kept, and goes to another user if you wish.")}</p>
<p><a role="button" class="small danger outline" href="${ui.url("/my-account/delete")}">${t("Delete your account")}</a></p></section>`;
  });
  const shown = async (
    visit: Visit,
    wrong = formErrors(undefined),
    typed: Partial<Pick<Me, "name" | "language" | "time_zone" | "editor">> = {},
  ): Promise<Screen> => {
    const me = { ...(await visit.get("/api/users/me")), ...typed };
    const added = html`${await web.addedParts("profile/below", me, visit)}`;
    const languages = languageNames(texts.languages(), visit.ui.language);
    const data = { me, languages, canChangeAddress: sendsMail(), ...appearanceOf(visit), formErrors: wrong, added };
    return { title: visit.ui.t("Profile"), body: view(data, visit.ui), status: wrong.status };
  };
  web.screen(app.site, PATH, "user", (visit) => shown(visit));
  web.form(app.site, PATH, "user", async (visit) => {
    const typed = {
      name: visit.text("name"),
      language: visit.text("language"),
      time_zone: visit.text("time_zone"),
      ...(visit.ui.may("editor-change") && { editor: visit.text("editor") }),
    };
    const { image } = visit.input;
    const picture = isUpload(image) ? { image } : visit.text("remove_image") === "true" ? { image: null } : {};
    const sent = await visit.send("PUT", "/api/users/me", { ...typed, ...picture });
    if (!sent.ok) return shown(visit, formErrors(sent), typed);
    // In the language that was chosen, as the screen with it is.
    const language = typed.language === "" ? visit.ui.language : typed.language;
    return visit.goTo(PATH, texts.say("Your profile is saved.", {}, language));
  });
  web.form(app.site, `${PATH}/scheme`, "user", (visit) => {
    const scheme = visit.text("scheme");
    const response = visit.goTo(PATH, visit.ui.t("The appearance is changed in this browser."));
    const keep = (name: string, value: string | undefined) =>
      response.headers.append(
        "set-cookie",
        `${name}=${value ?? ""}; Path=${visit.ui.url("/")}; Max-Age=${value === undefined ? 0 : YEAR_SECONDS}; HttpOnly; SameSite=Lax`,
      );
    keep("lectern_scheme", SCHEMES.includes(scheme) ? scheme : undefined);
    keep("lectern_density", visit.text("density") === "compact" ? "compact" : undefined);
    return response;
  });
}

function profileFields(parts: Parts, { me, languages, formErrors: { errors } }: ProfileData, ui: Ui): Html {
  const { t } = ui;
  const hasPicture = ui.viewer.picture !== undefined;
  return html`
${parts.field(ui, { name: "name", label: t("Name"), value: me.name, required: true, maxlength: 100, autocomplete: "name", errors: errors.name })}
<p>${parts.avatar(ui, { name: me.name, url: me.avatar_url, isLarge: true })}</p>
${parts.field(ui, { name: "image", label: t("Picture"), type: "file", accept: "image/png,image/jpeg,image/gif,image/webp,image/avif", errors: errors.image, help: hasPicture ? t("Cut to a square.") : t("Cut to a square. Without one, your initials are shown.") })}
${hasPicture && parts.field(ui, { name: "remove_image", label: t("Remove the picture"), type: "checkbox" })}
${parts.field(ui, { name: "language", label: t("Language"), type: "select", value: me.language, options: [["", t("Browser language, or the instance default")], ...languages], errors: errors.language })}
${parts.field(ui, { name: "time_zone", label: t("Time zone"), type: "select", value: me.time_zone, options: zonesWith(me.time_zone, t("That of the browser")), errors: errors.time_zone })}
${
  ui.may("editor-change") &&
  parts.field(ui, {
    name: "editor",
    label: t("Editor of pages"),
    type: "select",
    value: me.editor,
    options: [
      ["", t("By the format of each page")],
      ["rich", t("Rich text")],
      ["source", t("Source")],
    ],
    errors: errors.editor,
  })
}`;
}

function appearanceFields(parts: Parts, { scheme, density }: ProfileData, ui: Ui): Html {
  const { t } = ui;
  return html`${parts.field(ui, {
    name: "scheme",
    label: t("Appearance"),
    type: "select",
    value: scheme,
    options: [
      ["auto", t("Use device setting")],
      ["light", t("Light")],
      ["dark", t("Dark")],
    ],
  })}
${parts.field(ui, {
  name: "density",
  label: t("Density"),
  type: "select",
  value: density,
  options: [
    ["comfortable", t("Comfortable")],
    ["compact", t("Compact")],
  ],
  help: t("Saved in this browser only."),
})}`;
}

/** The address, which changes by a mail to the new one, and the roles, which others give. */
function account({ parts }: Web, { me, canChangeAddress }: ProfileData, ui: Ui): Html {
  const { t } = ui;
  return html`<section><h2>${t("E-mail address")}</h2><p>${me.email}</p>
${
  me.new_email !== null &&
  html`${parts.notice(ui, "note", t("An email with a link was sent to :email. The address counts once you have opened the link.", { email: me.new_email }))}
<p>${parts.button(ui, { action: "/my-account/email/withdraw", text: t("Keep the present address") })}</p>`
}
${canChangeAddress ? html`<p><a role="button" class="small secondary outline" href="${ui.url("/my-account/email")}">${t("Change the e-mail address")}</a></p>` : html`<p class="quiet">${t("Only users who can manage users can change it, as this instance sends no mail.")}</p>`}</section>
<section><h2>${t("Managed by administrators")}</h2>
<dl class="facts"><dt>${t("Roles")}</dt><dd>${me.roles.length === 0 ? "–" : me.roles.map(({ display_name }) => display_name).join(", ")}</dd></dl>
<p class="quiet">${t("Only users who can manage users can change these.")}</p></section>`;
}

/** Time zones, with one that is chosen and that the runtime does not list, such as an old name. */
function zonesWith(chosen: string, none: string): [string, string][] {
  const names = chosen === "" || ZONES.includes(chosen) ? ZONES : [chosen, ...ZONES];
  return [["", none], ...names.map((name): [string, string] => [name, name.replaceAll("_", " ")])];
}

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

function appearanceOf({ request }: Visit): Pick<ProfileData, "scheme" | "density"> {
  const cookie = request.headers.get("cookie") ?? "";
  return {
    scheme: /(?:^|;\s*)lectern_scheme=(light|dark)(?:;|$)/.exec(cookie)?.[1] ?? "auto",
    density: /(?:^|;\s*)lectern_density=(compact)(?:;|$)/.exec(cookie)?.[1] ?? "comfortable",
  };
}
