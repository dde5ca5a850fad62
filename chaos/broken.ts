/** A broken promise and its evidence. */
export interface Broken {
  readonly promise: string;
  readonly evidence: string;
  /** When it was first seen, milliseconds since the load began; absent where it was seen at the end. */
  readonly atMs?: number;
}
