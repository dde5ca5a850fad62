/** When and why a queue was rebuilt. */
export interface Anew {
  readonly at: string;
  readonly because: string;
}

/** The state of the queue. Reading it changes nothing in the queue. */
export type QueueProbe =
  | {
      readonly kind: 'counts';
      readonly waiting: number;
      readonly active: number;
      /** When and why the queue was last rebuilt; `null` if no rebuild is known. */
      readonly anew: Anew | null;
    }
  /** The queue has no tables: workers create them when they start, and within seconds while they run. */
  | { readonly kind: 'empty' }
  /** The queue's tables differ from those that Tenure created. */
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly where: string; readonly why: string }
  /** The queue answers but accepts no jobs. */
  | { readonly kind: 'unwritable'; readonly where: string; readonly why: string };
