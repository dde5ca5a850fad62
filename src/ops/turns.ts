import type { InHand } from '../app/ports/webhooks.ts';
import { OPS_LIMITS } from './limits.ts';

/** Remembers the webhooks that one process has served recently, so that they are served in turn. */
export class Turns {
  /** The webhook served longest ago comes first. */
  readonly #known = new Map<string, InHand>();
  #turn = 0;

  /** The argument for `Deliveries.claim`. */
  get hands(): ReadonlyMap<string, InHand> {
    return this.#known;
  }

  begin(webhookId: string): void {
    const { count = 0, isSlow = false } = this.#known.get(webhookId) ?? {};
    this.#turn += 1;
    this.#known.delete(webhookId);
    this.#known.set(webhookId, { count: count + 1, isSlow, turn: this.#turn });
    this.#forget();
  }

  end(webhookId: string, ms: number): void {
    const hand = this.#known.get(webhookId);
    if (hand === undefined) return;
    const isSlow = ms > OPS_LIMITS.webhookSlowMs;
    this.#known.set(webhookId, { ...hand, count: hand.count - 1, isSlow });
  }

  /** Forgets the idle webhook that was served longest ago. A forgotten webhook is served first again. */
  #forget(): void {
    if (this.#known.size <= OPS_LIMITS.webhooksRemembered) return;
    for (const [webhookId, { count }] of this.#known) {
      if (count > 0) continue;
      this.#known.delete(webhookId);
      return;
    }
  }
}
