/** Why a load cannot start or go on; the message is for the person at the command line. */
export class LoadError extends Error {}
