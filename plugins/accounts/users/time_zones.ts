const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,59}$/;

/** Whether a text is the name of a time zone that the runtime knows, such as "Europe/Berlin". */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // The error of an unknown name.
    return false;
  }
}
