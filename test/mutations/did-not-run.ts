/**
 * Thrown if a mutation cannot be judged, because the test or simulation that must detect it did not run, or fails even
 * without the mutation.
 */
export class DidNotRun extends Error {}
