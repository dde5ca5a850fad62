import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { Draws } from './draws.ts';
import { GRACE_MS } from './fates.ts';

const EXPIRY = {
  mode: 'on',
  grace: `PT${GRACE_MS / 1_000}S`,
  includeNeverRenewed: false,
  paused: false,
  quietHours: [],
  maxInFlight: 5,
};
const ON_MS = [8_000, 15_000] as const;
const PAUSED_MS = [1_000, 4_000] as const;

interface Preview {
  readonly isConfirmationNeeded: boolean;
  readonly token: string;
  readonly count: number;
}

/** A provider who switches the expiry policy on, and pauses it from time to time. */
export class Keeper {
  readonly #caller: Caller;
  /** The newest version of the policy that was set. */
  version = 0;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async set(isPaused: boolean): Promise<void> {
    const policy = { ...EXPIRY, paused: isPaused };
    const body = { ...policy, ...(await this.#confirmed(policy)) };
    const answer = await this.#caller.ask('provider', 'PUT', '/policies/expiry', body);
    if (answer.status !== 200) throw new Error(`the policy was answered ${answer.status}`);
    this.version = Number(answer.headers.get('etag')?.replaceAll('"', ''));
  }

  /**
   * Returns the confirmation of a person who has read in the preview how many licences the policy ends; empty if no
   * confirmation is needed.
   */
  async #confirmed(policy: object): Promise<object> {
    const path = '/policies/expiry/preview';
    const seen = await this.#caller.ask('provider', 'POST', path, policy);
    if (seen.status !== 200) throw new Error(`the preview was answered ${seen.status}`);
    const { isConfirmationNeeded, token, count } = seen.body as Preview;
    if (!isConfirmationNeeded) return {};
    return { confirmation: { token, count, reason: 'chaos' } };
  }

  /** Pauses and resumes the policy until `drain` is aborted. At the end, the policy is not paused. */
  async run(draws: Draws, drain: AbortSignal): Promise<void> {
    const last = (ms: number) => sleep(ms, undefined, { signal: drain }).catch(() => undefined);
    while (!drain.aborted) {
      await last(draws.between(...ON_MS));
      if (drain.aborted) return;
      await this.set(true);
      await last(draws.between(...PAUSED_MS));
      await this.set(false);
    }
  }
}
