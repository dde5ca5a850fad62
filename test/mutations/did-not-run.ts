/** Thrown if a mutation cannot be judged, because its finder did not run or fails without the mutation. */
export class DidNotRun extends Error {}
