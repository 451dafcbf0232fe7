import type { Ui, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Invite } from "./users.ts";

const PATH = "/settings/users";

/** Invitations that were not accepted, with what can be done about them. */
export function openInvites(web: Web, invites: readonly Invite[], total: number, ui: Ui): Html {
  const { t } = ui;
  const rows = invites.map((invite) => [
    html`<a class="any-words" href="${ui.url(`${PATH}/${invite.user.id}`)}">${invite.user.name}</a><br><span class="quiet any-words">${invite.user.email}</span>`,
    invite.invited_by?.name ?? "–",
    validity(web, invite, ui),
    inviteButtons(web, invite, ui),
  ]);
  const head = [t("Name"), t("Invited by"), t("Valid until"), html`<span class="unseen">${t("Actions")}</span>`];
  return html`<details open><summary>${t("Invitations that were not accepted (:count)", { count: total })}</summary>
${web.parts.table(ui, { caption: t("Invitations"), head, rows, empty: "" })}</details>`;
}

/** The invitation of one user. */
export function inviteOf(web: Web, invite: Invite, ui: Ui): Html {
  const { t } = ui;
  return html`<section><h2>${t("Invitation")}</h2><p>${t("This user has not chosen a password yet.")}
${invite.invited_by && t("Invited by :name.", { name: invite.invited_by.name })} ${t("Valid until")}: ${validity(web, invite, ui)}</p>
${inviteButtons(web, invite, ui)}</section>`;
}

function validity({ parts }: Web, { expired, expires_at }: Invite, ui: Ui): Html {
  return expired ? parts.badge(ui, "bad", ui.t("Expired")) : ui.time(expires_at);
}

function inviteButtons({ parts }: Web, { user: { id } }: Invite, ui: Ui): Html {
  const again = parts.button(ui, { action: `${PATH}/${id}/invite`, text: ui.t("Send again") });
  const withdraw = parts.button(ui, { action: `${PATH}/${id}/invite/withdraw`, text: ui.t("Withdraw") });
  return html`<div class="actions">${again} ${withdraw}</div>`;
}
