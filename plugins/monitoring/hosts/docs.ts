/** The message of an accepted report, which agents look for. */
export const REPORT_STORED = "Host updated successfully";

const text = { type: "string" };
const flag = { type: "boolean" };

/** Fields of a report, beside its rules. */
export const REPORT_FIELDS = {
  packages: {
    items: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 1, maxLength: 255, pattern: "\\S" },
        currentVersion: text,
        availableVersion: text,
        needsUpdate: flag,
        isSecurityUpdate: flag,
      },
    },
  },
  repositories: {
    items: {
      type: "object",
      properties: {
        ...{ url: text, name: text, distribution: text, components: text, repoType: text },
        ...{ isEnabled: flag, isSecure: flag },
      },
    },
  },
  sections: {
    minItems: 1,
    items: { type: "string", enum: ["packages", "repos", "interfaces", "hostname"] },
    description: "The sections that the report has; without it, all of them",
  },
};

/** Samples for the API documentation. */
export const examples = {
  create: {
    request: { friendly_name: "web-1" },
    response: {
      id: 7,
      friendly_name: "web-1",
      status: "pending",
      api_id: "patchmon_0123456789abcdef",
      api_key: "5f3c…64 hexadecimal digits",
    },
  },
  report: {
    request: {
      osType: "Debian GNU/Linux",
      osVersion: "12",
      hostname: "web-1",
      packages: [
        {
          name: "bash",
          currentVersion: "5.2.15-2",
          availableVersion: "5.2.15-3",
          needsUpdate: true,
          isSecurityUpdate: false,
        },
      ],
    },
    response: { message: REPORT_STORED, packagesProcessed: 1, updatesAvailable: 1, securityUpdates: 0 },
  },
};
