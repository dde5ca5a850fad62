/** Exit codes of the command line; docs/operations/reference.md lists them. */
export const EXIT = {
  /** Not possible now: nothing answers, something is broken, or not all of it could be done. */
  cannot: 1,
  /** The command line is wrong; nothing was asked. */
  usage: 2,
  /** The API has refused it. */
  refused: 3,
  notFound: 4,
  /** Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** Ends a command with one line and a code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
