import { describe, expect, test } from "bun:test";
import {
  misspeltText,
  misspeltVariables,
  otherNameOfPlace,
  refuseMisspeltPlaces,
} from "../../core/cli/misspelt_variables.ts";
import shipped from "../../plugins/mod.ts";

type Env = Record<string, string | undefined>;

const said = (env: Env) => misspeltVariables(env, shipped).map(misspeltText);
const refusalOf = (env: Env) => {
  try {
    refuseMisspeltPlaces(env, shipped);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

describe("a name with slips is named with the setting", () => {
  test.each([
    ["BACKUP_DRI", "BACKUP_DIR"],
    ["BAKCUP_DIR", "BACKUP_DIR"],
    ["METRIC_TOKEN", "METRICS_TOKEN"],
    ["MAX_TEXT_BYTE", "MAX_TEXT_BYTES"],
    ["SERVE_WORKER", "SERVE_WORKERS"],
    ["REVISIONS_LIMT", "REVISION_LIMIT"],
    ["PROT", "PORT"],
    ["app_url", "APP_URL"],
    ["LECTERN_APP_URL", "APP_URL"],
    ["LECTREN_PORT", "PORT"],
    ["LECTREN_BACKUP_DRI", "BACKUP_DIR"],
    ["DATABASE_POLL", "DATABASE_POOL"],
  ])("%s", (name, near) => expect(said({ [name]: "1" })).toEqual([`${name} is no setting; did you mean ${near}?`]));
});

describe("a slip in where data lies is refused by every command", () => {
  test.each([
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATBASE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["DATABASEURL", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["DAT_DIR", "DATA_DIR"],
    ["DATADIR", "DATA_DIR"],
    ["DATA_DRI", "DATA_DIR"],
    ["FILE_STORE", "FILES_STORE"],
    ["FILES_S3_BUKCET", "FILES_S3_BUCKET"],
  ])("%s", (name, near) => {
    expect(refusalOf({ [name]: "x" })).toContain(`${name} is no setting; did you mean ${near}?`);
    expect(refusalOf({ [name]: "x", [near]: "" })).toBe("");
  });
});

describe("another name of where data lies is found where the setting is not there", () => {
  test.each([
    ["DB_URL", "DATABASE_URL"],
    ["POSTGRES_URL", "DATABASE_URL"],
    ["PG_URL", "DATABASE_URL"],
    ["DATABASE_URL_FILE", "DATABASE_URL"],
    ["LECTERN_DATABASE_URL", "DATABASE_URL"],
    ["LECTREN_DATBASE_URL", "DATABASE_URL"],
    ["LECTERN_DB_URL", "DATABASE_URL"],
    ["DATA_DIRECTORY", "DATA_DIR"],
    ["LECTERN_DATA_DIR", "DATA_DIR"],
    ["FILE_STORAGE", "FILES_STORE"],
    ["STORAGE_S3_BUCKET", "FILES_S3_BUCKET"],
  ])("%s", (name, near) => {
    expect(refusalOf({ [name]: "x" })).toBe("");
    expect(otherNameOfPlace({ [name]: "x" }, shipped)).toEqual({ name, near });
    expect(said({ [name]: "x" })).toEqual([`${name} is no setting; did you mean ${near}?`]);
    for (const env of [{ [name]: "x", [near]: "" }, { [name]: "" }])
      expect(otherNameOfPlace(env, shipped)).toBeUndefined();
  });

  test("files have a place by either setting", () =>
    expect(otherNameOfPlace({ S3_BUCKET: "x", FILES_STORE: "disk" }, shipped)).toBeUndefined());
});

describe("variables that others set are left alone", () => {
  const OTHERS: Readonly<Record<string, string>> = {
    "a shell": "HOME HOST HOSTNAME HOSTTYPE LANG LOGNAME MAIL OLDPWD PAGER PATH PS1 PWD",
    "a desktop": "DISPLAY SESSION_MANAGER DESKTOP_SESSION XDG_DATA_DIRS XDG_DATA_HOME XDG_SESSION_ID",
    systemd: "INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LOGS_DIRECTORY NOTIFY_SOCKET STATE_DIRECTORY",
    PostgreSQL: "PGDATA PGDATABASE PGHOST PGPASSWORD PGPORT PGSSLMODE PGUSER PG_MAJOR PG_VERSION",
    "a file of compose": "POSTGRES_DB POSTGRES_HOST POSTGRES_PASSWORD POSTGRES_PORT POSTGRES_USER DB_HOST",
    "other programs": "KEYCLOAK_DATABASE_URL TEST_DATABASE_URL GITEA_DATA_DIR META_DIR NODE_ENV API_KEY",
    builds: "CI CI_COMMIT_SHA GITHUB_TOKEN GITHUB_WORKSPACE RUNNER_TEMP npm_config_user_agent npm_package_name",
    clouds: "AWS_REGION AWS_SECRET_ACCESS_KEY DYNO FLY_APP_NAME RENDER S3_ENDPOINT TZ no_proxy",
  };
  test.each(Object.entries(OTHERS))("of %s", (_, names) => {
    const env = Object.fromEntries(names.split(" ").map((name) => [name, "x"]));
    expect([said(env), refusalOf(env), otherNameOfPlace(env, shipped)]).toEqual([[], "", undefined]);
  });

  test("of services of Kubernetes", () => {
    const env: Env = {};
    for (const service of ["LECTERN", "DATABASE", "DATA"]) {
      env[`${service}_SERVICE_HOST`] = "10.0.0.1";
      env[`${service}_SERVICE_PORT`] = env[`${service}_SERVICE_PORT_HTTP`] = "8080";
      env[`${service}_PORT`] = env[`${service}_PORT_8080_TCP`] = "tcp://10.0.0.1:8080";
      env[`${service}_PORT_8080_TCP_ADDR`] = "10.0.0.1";
    }
    expect([said(env), refusalOf(env), otherNameOfPlace(env, shipped)]).toEqual([[], "", undefined]);
  });
});
