import { setTimeout as sleep } from 'node:timers/promises';
import type { Wallet } from '../cli/wallet.ts';
import { openWallet } from '../cli/wallet.ts';
import type { Broken } from './broken.ts';
import type { Caller, Operated, Who } from './caller.ts';
import type { Draws } from './draws.ts';
import { fillLane } from './crowd.ts';
import { Fates } from './fates.ts';
import type { Records } from './records.ts';
import { contentOf, saysTheSame, standing } from './records.ts';
import type { World } from './world.ts';

export interface LoadParts {
  readonly world: Pick<World, 'addresses' | 'databaseUrl'>;
  readonly caller: Caller;
  readonly records: Records;
  readonly draws: Draws;
  /** The number of licence lives that run at the same time. */
  readonly actors: number;
  /** The prefix of every command ID. */
  readonly prefix: string;
  /** When this signal is aborted, no new life is begun. Lives in progress continue to their end. */
  readonly drain: AbortSignal;
  /** When this signal is aborted, lives in progress end at once. */
  readonly signal: AbortSignal;
  /** Called with answers that contradict each other. */
  readonly onBroken: (broken: Broken) => void;
}

const LICENSE = { params: { meta: { data: {} } } };
const META = { meta: { data: { reason: 'chaos' } } };
const TAP = '1000.0';
const FEE = 10;
const SEEN_MS = 90_000;
const LOOK_MS = 250;
/** The share of operations that are sent twice at the same time. */
const TWICE = 0.2;
/** The share of renewals that extend the licence only by seconds. */
const SHORT = 0.7;
const SHORT_S = [3, 8] as const;
/** The share of licences with seconds left that are renewed again before they lapse. */
const AGAIN = 0.3;
const LONG = 'P30D';
/** The maximum number of licences in one life. */
const LICENSES_MAX = 6;

/** Thrown if an operation was refused that the life needs to continue. */
class LifeOverError extends Error {
  override readonly name = 'LifeOverError';
}

const isDone = ({ status }: Operated): boolean => status < 400;

interface Renewal {
  readonly contractId: string;
  readonly requestId: string;
  readonly allocationCid: string | null;
}

/**
 * Whole lives of licences, several at the same time, as users and the provider cause them over REST, with command IDs.
 */
export class Load {
  readonly #parts: LoadParts;
  /** For each install, how many licences were created according to the answers. */
  readonly created = new Map<string, number>();
  /** Installs whose cancel was requested. Their licences are not compared with the answers any more. */
  readonly cancelled = new Set<string>();
  readonly fates = new Fates();
  #commands = 0;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  /** Resolves when every life that was begun has ended. */
  async run(): Promise<void> {
    const { actors, draws, drain, signal } = this.#parts;
    await Promise.all(
      Array.from({ length: actors }, async (_one, index) => {
        const own = draws.fork(`actor ${index}`);
        while (!drain.aborted && !signal.aborted) {
          try {
            await this.#life(own);
          } catch (error) {
            if (!(error instanceof LifeOverError) && !signal.aborted) throw error;
          }
        }
      }),
    );
  }

  /** Sends this number of install requests of one user at once. The installs are not used otherwise. */
  async flood(count: number): Promise<void> {
    const draws = this.#parts.draws.fork(`flood ${this.#commands}`);
    const path = '/app-install-requests';
    const ask = () => this.operate('user', 'flood', path, META, draws);
    await Promise.all(Array.from({ length: count }, ask));
  }

  /** Makes `count` operations wait behind the cancel of an install. */
  async crowd(count: number): Promise<void> {
    const draws = this.#parts.draws.fork(`crowd ${this.#commands}`);
    const install = await this.#accept((await this.#request(draws)).path, draws);
    this.cancelled.add(install);
    // The insert may fail, because a fault may affect the database at this moment.
    const fill = () =>
      fillLane(this.#parts.world.databaseUrl, install, count).catch(() => undefined);
    await this.#until('a crowd', async () => ((await fill()) ?? 0) > 0 || undefined);
  }

  /** Sends an operation, sometimes twice at the same time, and compares the two answers. */
  async operate(
    who: Who,
    what: string,
    path: string,
    body: object,
    draws: Draws,
  ): Promise<Operated> {
    const { caller, records, prefix } = this.#parts;
    this.#commands += 1;
    const commandId = `${prefix}-${this.#commands}-${what}`;
    const record = records.begin({ commandId, what, who, path, body });
    const send = () => caller.operate(who, path, body, commandId);
    const [answer, other] = await Promise.all(draws.next() < TWICE ? [send(), send()] : [send()]);
    if (answer === undefined) throw new Error('nothing was sent');
    const stands =
      other === undefined ? answer : await this.#standing(who, commandId, answer, other);
    records.end(record, stands);
    return stands;
  }

  async #standing(who: Who, commandId: string, answer: Operated, other: Operated) {
    const { caller, records, onBroken } = this.#parts;
    if (saysTheSame(answer, other)) return answer;
    const { body } = await caller.get(who, `/operations/${encodeURIComponent(commandId)}`);
    const finishedMs = typeof body.finishedAt === 'string' ? Date.parse(body.finishedAt) : null;
    const stands = standing(answer, other, finishedMs);
    if (stands !== null) return stands;
    const [first, second] = [answer, other].map(
      ({ status, body: said }) => `${status} ${contentOf(said)}`,
    );
    onBroken({
      promise: 'the same answer to the same command',
      evidence: `${commandId} was answered ${first} and ${second}`,
      atMs: Math.round(records.nowMs()),
    });
    return answer;
  }

  async #must(
    who: Who,
    what: string,
    path: string,
    body: object,
    draws: Draws,
  ): Promise<Operated['body']> {
    const answer = await this.operate(who, what, path, body, draws);
    if (answer.status >= 400) throw new LifeOverError(`${what}: ${answer.status}`);
    return answer.body;
  }

  /**
   * Creates licences that belong to no life: one that does not lapse, and `lapsing` others that lapse one after
   * another.
   *
   * @param withinMs the time within which the last of them lapses
   * @returns the contract ID of the one that does not lapse
   */
  async prepare(lapsing: number, withinMs: number, draws: Draws): Promise<string> {
    const install = await this.#accept((await this.#request(draws)).path, draws);
    const path = `/app-installs/${install}:create-license`;
    const create = async (): Promise<string> => {
      const { licenseId } = await this.#must('provider', 'create', path, LICENSE, draws);
      this.fates.set(licenseId, 'stays');
      return licenseId;
    };
    // While a renewal is open, licences with the same number do not end. So the lapsing licences get numbers that no
    // life uses.
    await Promise.all(Array.from({ length: LICENSES_MAX }, create));
    await Promise.all(
      Array.from({ length: lapsing }, async (_one, index) => {
        const license = await create();
        const seconds = Math.ceil(((index + 1) * withinMs) / lapsing / 1_000);
        const offered = await this.#offer(license, `PT${seconds}S`, draws);
        const isRenewed = isDone(offered) && (await this.#complete(license, draws));
        if (isRenewed) this.fates.set(license, 'lapses');
      }),
    );
    return create();
  }

  async #request(draws: Draws): Promise<{ readonly path: string }> {
    const request = await this.#must('user', 'request', '/app-install-requests', META, draws);
    return { path: `/app-install-requests/${request.contractId}` };
  }

  /** @returns the install's contract ID */
  async #accept(path: string, draws: Draws): Promise<string> {
    const body = { installMeta: META.meta, meta: META.meta };
    const install = await this.#must('provider', 'accept', `${path}:accept`, body, draws);
    return install.contractId;
  }

  async #life(draws: Draws): Promise<void> {
    const { path } = await this.#request(draws);
    if (draws.next() < 0.1)
      return void (await this.#must('user', 'withdraw', `${path}:cancel`, META, draws));
    if (draws.next() < 0.1)
      return void (await this.#must('provider', 'reject', `${path}:reject`, META, draws));
    const install = await this.#accept(path, draws);
    const licenses = await this.#licenses(install, draws);
    const [first, second] = licenses;
    if (second !== undefined) await this.#renew(second, draws);
    if (first !== undefined) {
      if (draws.next() < 0.5) {
        const comment = { body: 'as good as ever' };
        await this.operate('user', 'comment', `/licenses/${first}/comments`, comment, draws);
      }
      const path = `/licenses/${first}:expire`;
      if (isDone(await this.operate('provider', 'expire', path, META, draws))) {
        this.fates.set(first, 'ended');
      }
    }
    if (draws.next() < 0.3) {
      this.cancelled.add(install);
      await this.operate('provider', 'cancel', `/app-installs/${install}:cancel`, META, draws);
    }
    return undefined;
  }

  /**
   * Creates several licences of one install at the same time, although each creation consumes the contract that the
   * next one needs.
   */
  async #licenses(install: string, draws: Draws): Promise<string[]> {
    const answers = await Promise.all(
      Array.from({ length: draws.between(1, LICENSES_MAX) }, (_one, index) =>
        this.operate(
          'provider',
          'create',
          `/app-installs/${install}:create-license`,
          LICENSE,
          draws.fork(`create ${index}`),
        ),
      ),
    );
    const made = answers.flatMap(({ status, body }) =>
      status === 201 ? [body.licenseId as string] : [],
    );
    for (const license of made) this.fates.set(license, 'stays');
    this.created.set(install, (this.created.get(install) ?? 0) + made.length);
    return made;
  }

  /** Requests a renewal for a fee. */
  #offer(license: string, extension: string, draws: Draws): Promise<Operated> {
    const body = {
      licenseFeeCc: FEE,
      licenseExtensionDuration: extension,
      prepareUntilDuration: 'PT10M',
      settleBeforeDuration: 'PT20M',
      description: 'one more month',
    };
    return this.operate('provider', 'renew', `/licenses/${license}:renew`, body, draws);
  }

  /** Renews a licence, usually only for seconds. Sometimes the request for the renewal is withdrawn. */
  async #renew(license: string, draws: Draws): Promise<void> {
    const isShort = draws.next() < SHORT;
    const offered = await this.#offer(
      license,
      isShort ? `PT${draws.between(...SHORT_S)}S` : LONG,
      draws,
    );
    if (!isDone(offered)) throw new LifeOverError(license);
    if (draws.next() < 0.2) {
      const { contractId } = await this.#renewal(license, () => true);
      const path = `/license-renewal-requests/${contractId}:withdraw`;
      await this.operate('provider', 'withdraw-renewal', path, META, draws);
      return;
    }
    if (!(await this.#complete(license, draws)) || !isShort) return;
    // Whether the licence lapses depends on the second renewal: while it is open, the policy does not end the licence.
    const isKept = draws.next() < AGAIN && isDone(await this.#offer(license, LONG, draws));
    this.fates.set(license, isKept ? 'stays' : 'lapses');
  }

  /** Allocates the fee in the user's wallet, and completes the renewal. @returns whether the licence was renewed */
  async #complete(license: string, draws: Draws): Promise<boolean> {
    const { contractId, requestId } = await this.#renewal(license, () => true);
    await this.#pay(requestId);
    const { allocationCid } = await this.#renewal(license, (one) => one.allocationCid !== null);
    const path = `/licenses/${license}:complete-renewal`;
    const body = { renewalRequestContractId: contractId, allocationContractId: allocationCid };
    return isDone(await this.operate('provider', 'complete', path, body, draws));
  }

  async #renewal(license: string, isIt: (renewal: Renewal) => boolean): Promise<Renewal> {
    return this.#until(`the renewal of ${license}`, async () => {
      const { body, status } = await this.#parts.caller.get('provider', `/licenses/${license}`);
      if (status !== 200) throw new LifeOverError(`${license}: ${status}`);
      return (body.renewalRequests as readonly Renewal[]).find(isIt);
    });
  }

  /**
   * Pays in the user's wallet, which does not belong to Tenure. Tries until the allocation exists, but pays only once.
   */
  async #pay(requestId: string): Promise<void> {
    await this.#until(`the wallet's allocation for ${requestId}`, async () => {
      try {
        const wallet = await this.#wallet();
        await wallet.tap(TAP);
        await wallet.accept(requestId);
        return true;
      } catch {
        this.#parts.signal.throwIfAborted();
        return (await this.#isPaid(requestId)) ? true : undefined;
      }
    });
  }

  async #isPaid(requestId: string): Promise<boolean> {
    const { body } = await this.#parts.caller.get('provider', '/licenses?limit=1000');
    return (body as readonly { readonly renewalRequests: readonly Renewal[] }[])
      .flatMap(({ renewalRequests }) => renewalRequests)
      .some((one) => one.requestId === requestId && one.allocationCid !== null);
  }

  async #wallet(): Promise<Wallet> {
    const { world, caller } = this.#parts;
    return openWallet(world.addresses.userWalletUrl, await caller.tokenOf('user'));
  }

  async #until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const { signal } = this.#parts;
    const giveUpMs = performance.now() + SEEN_MS;
    while (performance.now() < giveUpMs) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(LOOK_MS, undefined, { signal });
    }
    throw new LifeOverError(`${what} could not be seen`);
  }
}
