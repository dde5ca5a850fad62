import type { Localnet } from '../../../localnet/localnet.ts';
import { http } from './http.ts';
import type { HttpReply, HttpRequest } from './http.ts';
import type { Network, NetworkAddress } from './network.ts';

/** A fault as the control route returns it. */
export interface ToldFault {
  readonly id: string;
  readonly kind: string;
  readonly state: 'active' | 'spent' | 'over';
  readonly matched: number;
  readonly struck: number;
  readonly script?: string;
  readonly withheld?: readonly string[];
}

/** The control routes of a network, called as with curl. */
export class Control<A extends NetworkAddress = Localnet> {
  readonly #network: Network<A>;

  constructor(network: Network<A>) {
    this.#network = network;
  }

  ask(path: string, request: HttpRequest = {}): Promise<HttpReply> {
    return http(this.#network, `${this.#network.localnet.urls.network}/control${path}`, request);
  }

  /** Requests a fault and fails if it is refused. */
  async fault(body: Readonly<Record<string, unknown>>): Promise<ToldFault> {
    const { status, json, text } = await this.ask('/faults', { body });
    if (status !== 201) throw new Error(`${status} ${text}`);
    return json as ToldFault;
  }

  /** Requests a script of faults. */
  async script(
    body: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly faults: readonly ToldFault[] }> {
    return (await this.fault(body)) as unknown as { id: string; faults: ToldFault[] };
  }

  async told(id: string): Promise<ToldFault> {
    return (await this.ask(`/faults/${id}`)).json as ToldFault;
  }

  async all(): Promise<{ faults: ToldFault[]; totals: Readonly<Record<string, number>> }> {
    return (await this.ask('/faults')).json as never;
  }

  async clear(): Promise<void> {
    await this.ask('/faults', { method: 'DELETE' });
  }

  async remove(id: string): Promise<void> {
    await this.ask(`/faults/${id}`, { method: 'DELETE' });
  }
}
