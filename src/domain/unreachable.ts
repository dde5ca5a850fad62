/** Ends a switch over a union: the compiler checks that no case is missing, and the run-time error names the value. */
export function unreachable(value: never): never {
  throw new Error(`unexpected case ${JSON.stringify(value)}`);
}

/** Checks an invariant of the code. A failure is a bug in Tenure, never bad input. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`broken assumption: ${what}`);
}
