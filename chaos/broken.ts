/** A broken promise of Tenure, with the evidence. */
export interface Broken {
  readonly promise: string;
  readonly evidence: string;
  /** When it was first seen, milliseconds since the load began; absent if it was seen in the checks at the end. */
  readonly atMs?: number;
}
