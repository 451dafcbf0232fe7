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
  person: "Shows the name of a user by the slug that answers contain.",
  me:
    "Shows the user whose credential the request carries, and the permissions that this credential grants: " +
    "those of the user's roles, or fewer if a token has a scope.\n" +
    "`via` is how the user was authenticated: token, session or guest.",
  updateMe:
    "Updates the name, the language, the editor of pages or the password of the user whose credential the request carries. An empty language " +
    "means that of the instance, an empty editor the one of each page's format. A new password requires the current one and ends all sessions of the user.\n" +
    "Not available to tokens with a scope.",
  acceptInvite:
    "Accepts an invitation by its token: sets the password of the invited account. A token can be used once.",
  reset: "Sets a new password by the token of a reset message. A token can be used once; the account's sessions end.",
  requestReset:
    "Requests a message with a link to choose a new password. The answer is the same for unknown e-mail addresses.",
} as const;
