import type { CreateInput, UpdateInput, UserChange, UserDraft } from "./contract.ts";
import { hashPassword } from "./passwords.ts";

/** A judged request as the draft of an event: the password hashed, roles as a list, empty optional texts left out. */
export async function draftOf(input: CreateInput): Promise<UserDraft> {
  const { name, email, send_invite } = input;
  return { name, email, ...(await optionalOf(input)), ...(send_invite === undefined ? {} : { send_invite }) };
}

/** The same for a change. */
export async function changeOf(input: UpdateInput): Promise<UserChange> {
  const { name, email } = input;
  return { ...(name ? { name } : {}), ...(email ? { email } : {}), ...(await optionalOf(input)) };
}

async function optionalOf({
  external_auth_id,
  language,
  password,
  roles,
}: CreateInput | UpdateInput): Promise<UserChange> {
  return {
    ...(external_auth_id === undefined ? {} : { external_auth_id }),
    ...(language ? { language } : {}),
    ...(password ? { password_hash: await hashPassword(password) } : {}),
    // A list may come as an object with numbers for keys; the rules saw to it that the values are integers.
    ...(roles === undefined ? {} : { roles: Object.values(roles as object).map(Number) }),
  };
}
