const WHICH =
  "`name` with `value` are the tags of that value, an empty one those without a value; without it those of every value. `to` is what they " +
  "are called then: without `to.value` values stay. Case and accents make no difference in what is " +
  "found, so a spelling can be corrected. Where `to` is in use, the two are merged, and no item has the tag twice.";

/** Descriptions of the endpoints. */
export const about = {
  plan: `Counts the items that a rename of a tag would change, and those that you see and may not update. ${WHICH}`,
  rename:
    "Renames or merges a tag on all items that you may update; others that you see keep it, and it is refused where you may update none. An addition to BookStack's API, which has no " +
    `renames.\n${WHICH}\nThe items are updated as by their own endpoints, in batches. More than 50 are changed in the background: ` +
    "the answer is then 202 with the progress, also in GET /api/tags/renames/ID. The same rename again changes what is left of it.",
  read:
    "Reads the progress of a rename of a tag: of your own ones, or of all if you may manage settings. It is kept for a week after the " +
    "rename has ended.",
} as const;

const progress = {
  id: 4,
  name: "OS",
  value: null,
  to: { name: "Platform", value: null },
  status: "running",
  changed: 175,
  left_alone: 3,
  total: 412,
  error: null,
  url: "https://wiki.example.com/api/tags/renames/4",
  created_at: "2026-01-05T12:00:00.000000Z",
  updated_at: "2026-01-05T12:00:03.000000Z",
};

/** Examples for the documentation. */
export const examples = {
  plan: { response: { changes: 409, left_alone: 3 } },
  rename: { request: { name: "OS", to: { name: "Platform" } }, response: progress },
  read: { response: progress },
} as const;
