/** A broken promise of Tenure, with the evidence. */
export interface Broken {
  readonly promise: string;
  readonly evidence: string;
  /**
   * When the violation was first seen, in milliseconds since the load began; absent if the checks at the end have seen
   * it.
   */
  readonly atMs?: number;
}
