/** A load cannot start or continue; the message is printed. */
export class LoadError extends Error {}
