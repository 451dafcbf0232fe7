/** Descriptions of the endpoints of sessions. */
export const about = {
  read: "Shows the signed-in user with their permissions.",
  create:
    "Signs in with e-mail address and password, and sets the cookie of a new session. Where a plugin requires a further step, answers 202 with that step and starts no session.",
  delete: "Signs out: ends the session and deletes its cookie.",
  listOfUser: "Lists the sessions of a user.",
  deleteOfUser: "Ends a session of a user.",
} as const;
