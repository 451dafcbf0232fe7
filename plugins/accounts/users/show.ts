/** Adds the addresses that answers show beside a user's own fields (platform 5.2); `base` has no final slash. */
export function shown<U extends { id: number; slug: string }>(user: U, base: string) {
  return {
    ...user,
    profile_url: `${base}/user/${user.slug}`,
    edit_url: `${base}/settings/users/${user.id}`,
    avatar_url: `${base}/user_avatar.png`,
  };
}
