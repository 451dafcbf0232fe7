const key = {
  id: 3,
  token_name: "Homepage",
  token_key: "dash_0123456789abcdef0123456789abcdef",
  integration_type: "dashboard",
  status: "active",
  is_active: true,
  allowed_ip_ranges: ["192.0.2.0/24"],
  expires_at: null,
  max_hosts_per_day: 100,
  last_used_at: null,
  last_used_ip: null,
  last_refused_at: null,
  last_refused_reason: null,
  created_at: "2026-01-05T11:00:00.000000Z",
  updated_at: "2026-01-05T11:00:00.000000Z",
};

/** Samples for the documentation. */
export const examples = {
  create: {
    request: { token_name: "Homepage", allowed_ip_ranges: ["192.0.2.0/24"] },
    response: { ...key, token_secret: "64 hexadecimal digits", basic: "base64 of token_key:token_secret" },
  },
  update: { request: { is_active: false }, response: { ...key, status: "inactive", is_active: false } },
};
