/** When and why a queue was made anew. */
export interface Anew {
  readonly at: string;
  readonly because: string;
}

/** What a look at the queue found, without preparing or changing anything there. */
export type QueueProbe =
  | {
      readonly kind: 'counts';
      readonly waiting: number;
      readonly active: number;
      /** When and why it was made anew, the last time; `null` when it never was, as far as is known. */
      readonly anew: Anew | null;
    }
  /** It has no tables: workers make them as they start, and again within seconds while they run. */
  | { readonly kind: 'empty' }
  /** Not as it was made. */
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly where: string; readonly why: string }
  /** It answers, and takes no jobs. */
  | { readonly kind: 'unwritable'; readonly where: string; readonly why: string };
