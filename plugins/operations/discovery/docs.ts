/** What the documentation says about the endpoints. */
export const about = {
  read:
    "What search engines may do: robots is what /robots.txt says, auto where it lets them read what visitors may; sitemap is " +
    "whether /sitemap.xml lists what visitors may read.",
  choose: "Chooses what search engines may do. Fields that are absent stay as they are.",
} as const;
