/** Samples for the documentation. */
export const examples = {
  stats: {
    response: {
      total_hosts: 3,
      hosts_needing_updates: 2,
      up_to_date_hosts: 1,
      security_updates: 1,
      hosts_with_security_updates: 1,
      total_outdated_packages: 3,
      total_repos: 2,
      recent_updates_24h: 3,
      os_distribution: [
        { name: "Ubuntu", count: 2 },
        { name: "Debian", count: 1 },
      ],
      top_os_1_name: "Ubuntu",
      top_os_1_count: 2,
      top_os_2_name: "Debian",
      top_os_2_count: 1,
      top_os_3_name: "None",
      top_os_3_count: 0,
      last_updated: "2026-01-05T11:00:00.000Z",
    },
  },
};
