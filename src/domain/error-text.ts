/**
 * Returns the message of an error. If Node tried several addresses, its connection error has an empty message; the
 * messages of the errors for the single addresses are returned instead.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((one) => errorText(one)).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

/** Returns the first line of an error's message: the other lines are only for the log. */
export const errorLine = (error: unknown): string => errorText(error).split('\n', 1)[0] ?? '';

/** Returns the message of the error's cause, if there is one: `fetch failed` alone explains nothing. */
export const causeText = (error: unknown): string =>
  errorText(error instanceof Error && error.cause instanceof Error ? error.cause : error);

/** Returns the thrown value if it is an error, otherwise an error with its text. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(errorText(thrown));
