/** Routes with credentials of their own, and whose; they refuse every user, whatever the permissions. */
export const KEYED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["dashboard/stats", "dashboard/stats/extended", "dashboard/health", "dashboard/metrics"].map((path) => [
      `GET /api/v1/${path}`,
      "dashboards show a key of theirs",
    ]),
  ),
  "GET /api/v1/gethomepage/stats": "dashboards show a key of theirs",
  "GET /api/v1/gethomepage/health": "dashboards show a key of theirs",
  "POST /api/v1/auto-enrollment/enroll": "scripts show a key of enrolment",
  "POST /api/v1/auto-enrollment/enroll/bulk": "scripts show a key of enrolment",
  "GET /api/v1/auto-enrollment/script": "scripts show a key of enrolment",
  "GET /api/v1/hosts/install": "hosts show what they were made with",
  "GET /api/v1/hosts/agent/timestamp": "hosts show what they were made with",
  "POST /api/v1/hosts/update": "hosts show what they were made with",
  "POST /api/v1/hosts/ping": "hosts show what they were made with",
  "GET /api/v1/hosts/settings": "hosts show what they were made with",
  "GET /api/v1/hosts/agent/version": "hosts show what they were made with",
  "GET /api/v1/hosts/integrations": "hosts show what they were made with",
  "POST /api/v1/hosts/integration-status": "hosts show what they were made with",
  "GET /api/v1/settings/update-interval": "hosts show what they were made with",
  "GET /api/v1/agents/ws": "hosts show what they were made with",
};

/** Public routes, and why they are. */
export const PUBLIC: Readonly<Record<string, string>> = {
  "POST /api/register/invite/:token": "invited people have no account to sign in to yet",
  "POST /api/password/reset/:token": "people with a reset link cannot sign in",
  "POST /api/password/email": "people who forgot their password cannot sign in",
  "POST /api/session": "this is where one signs in",
  "GET /api/session": "answers from the cookie alone, to users without access-api as well",
  "DELETE /api/session": "signs out by the cookie alone, users without access-api as well",
  "GET /api/docs/assets/:file": "files of the documentation's page, which hold nothing of the instance",
  "GET /web/assets/:name": "styles and scripts of screens, the sign-in among them",
  "GET /web/diagrams/frame": "an empty document in which browsers draw diagrams; its origin has no cookies",
  "GET /web/diagrams/library.js": "the library that draws them, as its package has it",
  "GET /theme/:name/*": "files that the operator's theme offers to every screen",
  "GET /uploads/images/*": "pictures stand in pages that are read elsewhere; IMAGE_ACCESS narrows it",
  "GET /health": "a probe, which has no credentials and learns that the process answers",
  "GET /ready": "a probe likewise, which learns whether requests are served",
  "GET /metrics": "checks a token or address of its own; closed by default",
  "GET /logo.png": "the picture that GET /api/system names, shown before anybody signs in",
  "GET /user_avatar.png": "the picture of every user without one",
  "GET /api/": "the way to the documentation",
  "GET /api/v1/dashboard/reporter.sh": "a script that holds nothing of the instance",
};
