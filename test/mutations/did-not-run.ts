/** Nothing can be said of a mutation: what is to notice it did not run, or fails without it. */
export class DidNotRun extends Error {}
