/**
 * The profile: name, language and the editor of pages, which are stored with the account and are the same in every browser, and the
 * appearance, which a cookie keeps for one browser, as a device has its own light. What administrators manage is shown and not changed.
 */
import type { Answers, Screen, Ui, Visit } from "lectern/contracts";
import { type FormErrors, formErrors, type Html, html, type Texts } from "lectern/core";
import type { AccountContext } from "./contract.ts";

/** The signed-in user in the API. */
export type Me = Answers["/api/users/me"];

/** Data of the screen. */
export interface ProfileData {
  readonly me: Me;
  readonly languages: readonly (readonly [value: string, text: string])[];
  readonly scheme: string;
  readonly density: string;
  readonly formErrors: FormErrors;
  /** Parts that other plugins add. */
  readonly added: Html;
}

const PATH = "/my-account/profile";
const SCHEMES = ["light", "dark"];
const YEAR_SECONDS = 31_536_000;

/** Mounts the profile. */
export function mountProfile({ app, texts, web }: AccountContext): void {
  const { parts } = web;
  web.places("profile/below");
  const view = web.view("account/profile", ({ me, languages, scheme, density, formErrors: wrong, added }, ui) => {
    const { t } = ui;
    const fields = html`
${parts.field(ui, { name: "name", label: t("Name"), value: me.name, required: true, maxlength: 100, autocomplete: "name", errors: wrong.errors.name })}
${parts.field(ui, { name: "language", label: t("Language"), type: "select", value: me.language, options: [["", t("Browser language, or the instance default")], ...languages], errors: wrong.errors.language })}
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
    errors: wrong.errors.editor,
  })
}`;
    const appearance = html`${parts.field(ui, {
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
    return html`<h1>${t("Profile")}</h1>
${parts.form(ui, { action: PATH, fields, submit: t("Save"), error: wrong.error, label: t("Profile") })}
<section><h2>${t("Appearance")}</h2>
${parts.form(ui, { action: `${PATH}/scheme`, fields: appearance, submit: t("Apply"), label: t("Appearance") })}</section>
<section><h2>${t("Managed by administrators")}</h2>
<dl class="facts"><dt>${t("E-mail address")}</dt><dd>${me.email}</dd>
<dt>${t("Roles")}</dt><dd>${me.roles.length === 0 ? "–" : me.roles.map(({ display_name }) => display_name).join(", ")}</dd></dl>
<p class="quiet">${t("Only users who can manage users can change these.")}</p></section>${added}`;
  });
  const shown = async (
    visit: Visit,
    wrong = formErrors(undefined),
    typed: Partial<Pick<Me, "name" | "language" | "editor">> = {},
  ): Promise<Screen> => {
    const me = { ...(await visit.get("/api/users/me")), ...typed };
    const added = html`${await web.addedParts("profile/below", me, visit)}`;
    const data = { me, languages: languagesOf(texts, visit.ui), ...appearanceOf(visit), formErrors: wrong, added };
    return { title: visit.ui.t("Profile"), body: view(data, visit.ui), status: wrong.status };
  };
  web.screen(app.site, PATH, "user", (visit) => shown(visit));
  web.form(app.site, PATH, "user", async (visit) => {
    const typed = {
      name: visit.text("name"),
      language: visit.text("language"),
      ...(visit.ui.may("editor-change") && { editor: visit.text("editor") }),
    };
    const sent = await visit.send("PUT", "/api/users/me", typed);
    return sent.ok ? visit.goTo(PATH, visit.ui.t("Your profile is saved.")) : shown(visit, formErrors(sent), typed);
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

/** The languages of the catalogue, each with its name in that language. */
function languagesOf(texts: Texts, ui: Ui): [string, string][] {
  return texts.languages().map((language): [string, string] => {
    try {
      const tag = language.replace("_", "-");
      return [language, new Intl.DisplayNames([tag, ui.language], { type: "language" }).of(tag) ?? language];
    } catch {
      // A theme may have a catalogue whose name is not a language tag.
      return [language, language];
    }
  });
}

function appearanceOf({ request }: Visit): Pick<ProfileData, "scheme" | "density"> {
  const cookie = request.headers.get("cookie") ?? "";
  return {
    scheme: /(?:^|;\s*)lectern_scheme=(light|dark)(?:;|$)/.exec(cookie)?.[1] ?? "auto",
    density: /(?:^|;\s*)lectern_density=(compact)(?:;|$)/.exec(cookie)?.[1] ?? "comfortable",
  };
}
