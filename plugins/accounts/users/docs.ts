/** Descriptions of the endpoints of users. */
export const about = {
  list: "Lists the users.",
  create: "Creates a user, and on request an invitation to choose a password.",
  read: "Shows a user with roles.",
  update:
    "Updates a user. A list of roles replaces the existing ones.\n" +
    "A token with a scope cannot change passwords or e-mail addresses, nor give a role that permits more than the token.\n" +
    "Only an administrator can give or take the system role Admin, or change the credentials of its users.",
  delete:
    "Deletes a user. Another user may become the owner of their items.\n" +
    "Only an administrator can delete a user who has the system role Admin.",
  transfers:
    "Lists deleted users whose content a job is still giving to the new owner, with how many items have one. Where it is\n" +
    "little, it is done when the user is deleted and not listed.",
  removePicture: "Removes the picture of a user. The one that stands for users without a picture is shown again.",
  people: "Finds people by a part of their names: the first 20 by name.",
  person: "Shows the name and the picture of a user by the slug that answers contain.",
  me:
    "Shows the user whose credential the request carries, and the permissions that this credential grants: " +
    "those of the user's roles, or fewer if a token has a scope.\n" +
    "`via` is how the user was authenticated: token, session or guest.",
  updateMe:
    "Updates the name, the picture, the language, the time zone, the editor of pages or the password of the user whose credential the request carries. An " +
    "empty language means that of the instance, an empty time zone that of the browser, an empty editor the one of each page's format. A new " +
    "password requires the current one and ends all sessions of the user. `image` is a file, cut to a square and scaled down; null removes it.\n" +
    "Not available to tokens with a scope.",
  deleteMe:
    "Deletes the account of the user whose credential the request carries, which requires the current password. Another user may become the " +
    "owner of its items. The only administrator is refused by 409.\n" +
    "Not available to tokens with a scope.",
  newEmail:
    "Sends a message with a link to the address that the user wants to have, which requires the current password. The address counts once the " +
    "link was opened. The answer is the same where another account has the address; nothing is sent then.\n" +
    "Not available to tokens with a scope.",
  confirmEmail:
    "Takes the new address of the user whose credential the request carries, by the token of the message to it. A token can be used once; a " +
    "message to the former address tells of the change.",
  keepEmail: "Withdraws the request for another address, so that its link is no longer valid.",
  invites:
    "Lists invitations that were not accepted, with who sent them last. Expired ones are listed for 60 days; filter and sort by the field `id`, " +
    "which is that of the user.",
  invite:
    "Sends an invitation, or sends it again with a new link that replaces the former one. Refused by 409 where the user has chosen a password.\n" +
    "Not available to tokens with a scope.",
  withdrawInvite:
    "Withdraws an invitation, so that its link is no longer valid. The account stays.\nNot available to tokens with a scope.",
  acceptInvite:
    "Accepts an invitation by its token: sets the password of the invited account. A token can be used once.",
  reset: "Sets a new password by the token of a reset message. A token can be used once; the account's sessions end.",
  requestReset:
    "Requests a message with a link to choose a new password. The answer is the same for unknown e-mail addresses.",
} as const;
