/**
 * Items with words that have signs within, before or after them, and for each word the items that contain it, by their place in the
 * list: written down before the search distinguished such words from their parts. Letter case makes no difference, and a query matches
 * the beginning of a word, so that `C++` is in "C++17" and not in "libstdc++".
 */

/** Name and text of each item. */
export const ITEMS: readonly (readonly [string, string])[] = [
  // 0
  [
    "Budget of the year",
    "“B&B” is new We use salt&pepper here: 1+1; nothing else no T-SHIRT! See wi-fi. “v1.2.3” is new",
  ],
  // 1
  [
    "Meeting notes",
    "no C++! Ask about 1+1, then wait. Ask about CI/CD, then wait. follow-up again no RE-INDEX! See #42.",
  ],
  // 2
  [
    "Build machines",
    "(P&L) We use C++ here: We use /ETC/HOSTS here: We use max_connections=200 here: (x=10) (e-mail) We use wi-fi here: “.ENV” is new",
  ],
  // 3
  [
    "TCP/IP network plan",
    "Ask about R&D, then wait. no P&L! no C++! no n+1! We use src/main.ts here: (N/A) “e-mail” is new Ask about example.org, then wait.",
  ],
  // 4
  [
    "Release steps",
    "Ask about R&D, then wait. See salt&pepper. “max_connections=200” is new “E-MAIL” is new CO-OP again",
  ],
  // 5
  ["Onboarding", "no R&D! no Q&A! “T&Cs” is new We use C++ here: See C++17. (libstdc++) Ask about a/b, then wait."],
  // 6
  [
    "Travel rules",
    "“R&D” is new “AT&T” is new “salt&pepper” is new Ask about C++, then wait. A+; nothing else no 1+1! (SRC/MAIN.TS) “MAX_CONNECTIONS=200” is new (.env)",
  ],
  // 7
  [
    "Support desk",
    "See R&D. no S&P! See libstdc++. We use 1+1 here: TCP/IP again no CI/CD! /ETC/HOSTS; nothing else e-mail again (wi-fi) See C#.",
  ],
  // 8
  [
    "Salt&pepper in the kitchen",
    "(id=7&sort=name) Ask about C++, then wait. Ask about AND/OR, then wait. See follow-up. “backup.tar.gz” is new USER@EXAMPLE.ORG; nothing else",
  ],
  // 9
  ["Audit", "e-mail; nothing else"],
  // 10
  ["Backups", "We use M&A here: “timeout=30s” is new e-mail; nothing else See SELF-HOSTED. See V1.2.3."],
  // 11
  ["Editor tips", "See C++. Ask about C++17, then wait. (Ctrl+C) We use /etc/hosts here: SELF-HOSTED again"],
  // 12
  [
    "Coding style",
    "no Q&A! “C++17” is new no G++! key=value; nothing else Ask about e-mail, then wait. SELF-HOSTED; nothing else (10.0.0.1) (USER@EXAMPLE.ORG) (#42)",
  ],
  // 13
  ["Incidents", "We use R&D here: (B&B) “C++” is new a/b again (I/O)"],
  // 14
  [
    "Hardware list",
    "Ask about R&D, then wait. Ask about TCP/IP, then wait. “CI/CD” is new Ask about AND/OR, then wait. “a==b” is new e-mail; nothing else See wi-fi.",
  ],
  // 15
  ["E-mail server", "(N+1) (GPG+SSH) Ask about --level=3, then wait. See x-ray. 10.0.0.1; nothing else See 100%."],
  // 16
  [
    "Partners",
    "“C++” is new no x=1! LANG=C again --level=3; nothing else Y=MX+B again (DEBUG=true) See x=10. 100%; nothing else",
  ],
  // 17
  ["Shop", "See R&D. We use C++ here: (+49) See and/or. src/main.ts again Ask about backup.tar.gz, then wait."],
  // 18
  [
    "24/7 monitoring",
    "Ask about C++, then wait. (A+) See a/b. DEBUG=true; nothing else Ask about up-to-date, then wait. See NODE.JS. no user@example.org!",
  ],
  // 19
  [
    "Legal",
    "We use R&D here: We use AT&T here: “S&P” is new SRC/MAIN.TS; nothing else no X=1! up-to-date; nothing else Ask about .env, then wait.",
  ],
  // 20
  [
    "Library",
    "We use R&D here: id=7&sort=name; nothing else “client/server” is new E-MAIL again “x-ray” is new See 10.0.0.1.",
  ],
  // 21
  [
    "Workshop",
    "Ask about id=7&sort=name, then wait. We use Ctrl+C here: A/B; nothing else We use and/or here: See /etc/hosts. “N/A” is new e-mail; nothing else Ask about T-shirt, then wait.",
  ],
  // 22
  ["Door codes", "R&D; nothing else M&A; nothing else (C++) See CTRL+C. See key=value. node.js; nothing else"],
  // 23
  [
    "Phone list",
    "R&D again Ask about C++, then wait. We use GPG+SSH here: Ask about e-mail, then wait. “follow-up” is new",
  ],
  // 24
  [
    "Data centre",
    "See A+. max_connections=200 again key=value again “e-mail” is new Ask about RE-INDEX, then wait. NODE.JS; nothing else",
  ],
  // 25
  ["Database settings", "C++17 again no +49! LANG=C again Ask about y=mx+b, then wait."],
  // 26
  [
    "Newsletter",
    "R&D; nothing else M&A; nothing else G++ again no n+1! “24/7” is new X=10 again “x-ray” is new We use follow-up here: (self-hosted) We use 10.0.0.1 here: no C#! 100%; nothing else",
  ],
  // 27
  [
    "Printer",
    "(R&D) “n+1” is new We use TCP/IP here: We use 24/7 here: no X=1! Ask about key=value, then wait. e-mail again",
  ],
  // 28
  [
    "Holidays",
    "Ask about M&A, then wait. We use T&Cs here: See g++. --level=3; nothing else e-mail again Ask about CVE-2024-3094, then wait.",
  ],
  // 29
  [
    "Training",
    "“S&P” is new We use SALT&PEPPER here: Ask about C++, then wait. TCP/IP; nothing else “DEBUG=true” is new",
  ],
];

/** Queries of one word, each with the places of the items that contain it. */
export const FOUND: Readonly<Record<string, readonly number[]>> = {
  "R&D": [3, 4, 5, 6, 7, 13, 14, 17, 19, 20, 22, 23, 26, 27],
  "Q&A": [5, 12],
  "AT&T": [6, 19],
  "B&B": [0, 13],
  "P&L": [2, 3],
  "M&A": [10, 22, 26, 28],
  "T&Cs": [5, 28],
  "S&P": [7, 19, 29],
  "salt&pepper": [0, 4, 6, 8, 29],
  "id=7&sort=name": [8, 20, 21],
  "C++": [1, 2, 3, 5, 6, 8, 11, 12, 13, 16, 17, 18, 22, 23, 25, 29],
  "C++17": [5, 11, 12, 25],
  "g++": [12, 26, 28],
  "libstdc++": [5, 7],
  "A+": [6, 18, 24],
  "1+1": [0, 1, 6, 7],
  "Ctrl+C": [11, 21, 22],
  "n+1": [3, 15, 26, 27],
  "GPG+SSH": [15, 23],
  "+49": [17, 25],
  "a/b": [5, 13, 18, 21],
  "TCP/IP": [3, 7, 14, 27, 29],
  "CI/CD": [1, 7, 14],
  "I/O": [13],
  "and/or": [8, 14, 17, 21],
  "24/7": [18, 26, 27],
  "client/server": [20],
  "/etc/hosts": [2, 7, 11, 21],
  "src/main.ts": [3, 6, 17, 19],
  "N/A": [3, 21],
  "x=1": [2, 16, 19, 26, 27],
  "max_connections=200": [2, 4, 6, 24],
  "LANG=C": [16, 25],
  "a==b": [14],
  "--level=3": [15, 16, 28],
  "key=value": [12, 22, 24, 27],
  "timeout=30s": [10],
  "y=mx+b": [16, 25],
  "DEBUG=true": [16, 18, 29],
  "x=10": [2, 16, 26],
  "e-mail": [2, 3, 4, 7, 9, 10, 12, 14, 15, 20, 21, 23, 24, 27, 28],
  "co-op": [4],
  "x-ray": [15, 20, 26],
  "T-shirt": [0, 21],
  "up-to-date": [18, 19],
  "wi-fi": [0, 2, 7, 14],
  "CVE-2024-3094": [28],
  "follow-up": [1, 8, 23, 26],
  "self-hosted": [10, 11, 12, 26],
  "re-index": [1, 24],
  "node.js": [18, 22, 24],
  "v1.2.3": [0, 10],
  "example.org": [3, 8, 12, 18],
  ".env": [2, 6, 19],
  "backup.tar.gz": [8, 17],
  "10.0.0.1": [12, 15, 20, 26],
  "C#": [7, 26],
  "user@example.org": [8, 12, 18],
  "#42": [1, 12],
  "100%": [15, 16, 26],
};
