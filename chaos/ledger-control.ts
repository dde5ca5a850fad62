import type { ParticipantOfChaos } from './script.ts';
import { PARTICIPANTS } from './script.ts';

const CONTROL_MS = 10_000;

/** What LocalNet says of the faults that it was told of, as far as it is read here. */
interface ToldFaults {
  readonly faults: readonly { readonly withheld?: readonly string[] }[];
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Asks a control route of LocalNet. @throws Error when LocalNet does not answer, or refuses */
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

/** LocalNet's control route: what goes wrong on the ledger, and what the ledger kept to itself meanwhile. */
export class LedgerControl {
  readonly #networkUrl: () => string;
  readonly #withheld = new Set<string>();

  /** @param networkUrl of LocalNet as it runs at the moment */
  constructor(networkUrl: () => string) {
    this.#networkUrl = networkUrl;
  }

  /** Begins a fault, or a script of them. @throws Error when LocalNet cannot be asked, or refuses */
  async begin(fault: object): Promise<void> {
    await this.#ask('POST', fault);
  }

  /** What a participant may spend from now on; `null`: without limit. */
  async limitTraffic(participant: ParticipantOfChaos, balance: number | null): Promise<void> {
    await this.#ask('POST', { participant, balance }, 'traffic');
  }

  async endAll(): Promise<void> {
    await this.noteWithheld();
    await this.#ask('DELETE');
    // Balances outlive the process that was told of them.
    for (const participant of PARTICIPANTS) await this.limitTraffic(participant, null);
  }

  /**
   * Remembers which completions were withheld: LocalNet forgets it with the fault, and when it is started again.
   *
   * @throws Error when LocalNet cannot be asked
   */
  async noteWithheld(): Promise<void> {
    const { faults } = (await this.#ask('GET')) as ToldFaults;
    for (const { withheld = [] } of faults) for (const one of withheld) this.#withheld.add(one);
  }

  /** Whether no stream told of a completion, as far as is remembered. @param stream its name in the store */
  hasWithheld(stream: string, offset: string): boolean {
    return this.#withheld.has(`${stream.replace('completions:', '')}/${offset}`);
  }

  #ask(method: Method, body?: object, what: 'faults' | 'traffic' = 'faults'): Promise<unknown> {
    return askControl(this.#networkUrl(), method, what, body);
  }
}
