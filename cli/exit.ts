/** Exit codes of the command line; docs/operations/reference.md lists them. */
export const EXIT = {
  /** The command cannot be carried out now: there was no answer, something is broken, or only a part of it was done. */
  cannot: 1,
  /** The command line is wrong; no call was made. */
  usage: 2,
  /** The API refused the call. */
  refused: 3,
  notFound: 4,
  /** Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** Ends the command with a one-line message and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
