/** A mutation cannot be judged: its finder did not run, or fails without the mutation. */
export class DidNotRun extends Error {}
