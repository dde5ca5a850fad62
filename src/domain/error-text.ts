/** The message of an error. Node's connection errors to several addresses have an empty message of their own. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((one) => errorText(one)).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

/** The first line of an error's message: the rest is for the log. */
export const errorLine = (error: unknown): string => errorText(error).split('\n', 1)[0] ?? '';

/** The message of the error's cause, where there is one: `fetch failed` alone explains nothing. */
export const causeText = (error: unknown): string =>
  errorText(error instanceof Error && error.cause instanceof Error ? error.cause : error);

/** Returns the thrown value as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(errorText(thrown));
