import type { ParticipantOfChaos } from './script.ts';
import { PARTICIPANTS } from './script.ts';

const CONTROL_MS = 10_000;

/** The members of LocalNet's list of faults that this file reads. */
interface ToldFaults {
  readonly faults: readonly { readonly withheld?: readonly string[] }[];
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Calls a control route of LocalNet. @throws Error if LocalNet does not answer, or refuses */
export async function askControl(
  networkUrl: string,
  method: Method,
  what: 'faults' | 'traffic' | 'ledger',
  body?: object,
): Promise<unknown> {
  const answer = await fetch(`${networkUrl}/control/${what}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CONTROL_MS),
  });
  if (!answer.ok) throw new Error(`LocalNet answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** LocalNet's control routes: begins faults, and remembers which completions the ledger has withheld. */
export class LedgerControl {
  readonly #networkUrl: () => string;
  readonly #withheld = new Set<string>();

  /** @param networkUrl returns the current address of LocalNet */
  constructor(networkUrl: () => string) {
    this.#networkUrl = networkUrl;
  }

  /** Begins a fault, or a script of faults. @throws Error if LocalNet does not answer, or refuses */
  async begin(fault: object): Promise<void> {
    await this.#ask('POST', fault);
  }

  /** Sets the traffic balance of a participant; `null` means no limit. */
  async limitTraffic(participant: ParticipantOfChaos, balance: number | null): Promise<void> {
    await this.#ask('POST', { participant, balance }, 'traffic');
  }

  async endAll(): Promise<void> {
    await this.noteWithheld();
    await this.#ask('DELETE');
    // LocalNet keeps the balances across restarts.
    for (const participant of PARTICIPANTS) await this.limitTraffic(participant, null);
  }

  /**
   * Remembers which completions are withheld. LocalNet forgets them when the fault ends and when it restarts.
   *
   * @throws Error if LocalNet cannot be reached
   */
  async noteWithheld(): Promise<void> {
    const { faults } = (await this.#ask('GET')) as ToldFaults;
    for (const { withheld = [] } of faults) for (const one of withheld) this.#withheld.add(one);
  }

  /**
   * Returns whether a completion was withheld from all streams, as far as this was noted. @param stream the stream's
   * name in the store
   */
  hasWithheld(stream: string, offset: string): boolean {
    return this.#withheld.has(`${stream.replace('completions:', '')}/${offset}`);
  }

  #ask(method: Method, body?: object, what: 'faults' | 'traffic' = 'faults'): Promise<unknown> {
    return askControl(this.#networkUrl(), method, what, body);
  }
}
