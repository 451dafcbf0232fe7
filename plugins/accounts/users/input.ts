import type { CreateInput, UpdateInput, UserChange, UserDraft } from "./contract.ts";
import { sealedHash } from "./sealed_hash.ts";

/** The draft of a validated body: the password is hashed, roles become a list, empty optional texts are left out. */
export async function draftOf(input: CreateInput): Promise<UserDraft> {
  const { name, email, send_invite } = input;
  return { name, email, ...(await optionalFields(input)), ...(send_invite === undefined ? {} : { send_invite }) };
}

/** The same for an update. */
export async function changeOf(input: UpdateInput): Promise<UserChange> {
  const { name, email } = input;
  return { ...(name ? { name } : {}), ...(email ? { email } : {}), ...(await optionalFields(input)) };
}

async function optionalFields({
  external_auth_id,
  language,
  password,
  roles,
}: CreateInput | UpdateInput): Promise<UserChange> {
  return {
    ...(external_auth_id === undefined ? {} : { external_auth_id }),
    ...(language ? { language } : {}),
    ...(password ? { password_hash: await sealedHash(password) } : {}),
    // A list may be sent as an object with numeric keys; the rules have checked that the values are integers.
    ...(roles === undefined ? {} : { roles: Object.values(roles).map(Number) }),
  };
}
