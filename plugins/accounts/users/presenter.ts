/** The path of the picture that stands for users without one, below the base URL. */
export const NO_PICTURE = "/user_avatar.png";

/** Adds the URLs that answers show beside a user's own fields (platform 5.2); `baseUrl` has no trailing slash. */
export function presentUser<U extends { id: number; slug: string; picture?: string | null }>(
  { picture, ...user }: U,
  baseUrl: string,
) {
  return {
    ...user,
    profile_url: `${baseUrl}/user/${user.slug}`,
    edit_url: `${baseUrl}/settings/users/${user.id}`,
    avatar_url: `${baseUrl}${picture ?? NO_PICTURE}`,
  };
}
