/** Ends a switch over a union: the compiler proves that nothing is left, the run time says what was. */
export function unreachable(value: never): never {
  throw new Error(`unexpected case ${JSON.stringify(value)}`);
}

/** States what must hold here. A failure is a bug of ours, never bad input. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`broken assumption: ${what}`);
}
