/** When and why a queue was rebuilt. */
export interface Anew {
  readonly at: string;
  readonly because: string;
}

/** The state of the queue. Reading it prepares and changes nothing there. */
export type QueueProbe =
  | {
      readonly kind: 'counts';
      readonly waiting: number;
      readonly active: number;
      /** When and why it was last rebuilt; `null` if never, as far as is known. */
      readonly anew: Anew | null;
    }
  /** It has no tables: workers create them at their start, and again within seconds while they run. */
  | { readonly kind: 'empty' }
  /** It differs from the queue that was created. */
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly where: string; readonly why: string }
  /** It answers but accepts no jobs. */
  | { readonly kind: 'unwritable'; readonly where: string; readonly why: string };
