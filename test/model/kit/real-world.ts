import assert from 'node:assert/strict';
import { actionsFor } from '../../../src/app/engine/lanes/allowed.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { LicensingOperation } from '../../../src/domain/licensing.ts';
import type { RequestedChange } from '../../../src/app/engine/requests/change-request.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { CommandId, ContractId, LifecycleId, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { IO } from './io.ts';
import type { Ask, Life, LicensingModel, Money, Who } from './licensing-model.ts';
import { hasEnded } from './licensing-model.ts';
import { Others } from './others.ts';
import { QuietSystem } from './quiet-system.ts';
import { allOf } from '../../kit/all-of.ts';
import { same } from './same.ts';

/**
 * The ways in which an address can name a lifecycle: by its ID, by its current contract ID, or by its first contract
 * ID.
 */
export const NAMES = ['id', 'current', 'first'] as const;
export type Name = (typeof NAMES)[number];

/** The answer to a caller: `succeeded`, or the code of a problem. */
export type Told = string;

interface Known {
  readonly id: LifecycleId;
  /** Every contract that the lifecycle ever had, oldest first. */
  readonly contracts: ContractId[];
}

const UNKNOWN = `00${'ab'.repeat(34)}`;

/**
 * The real system, which is compared with the model. Knows which lifecycle corresponds to which life of the model, and
 * checks that both agree.
 */
export class RealWorld implements AsyncDisposable {
  readonly system: QuietSystem;
  readonly others: Others;
  readonly #known = new Map<Life, Known>();
  readonly #allocations = new Map<Money, ContractId>();
  #commands = 0;

  private constructor(system: QuietSystem) {
    this.system = system;
    this.others = new Others(system.ledger.network);
  }

  static open = async (): Promise<RealWorld> => new RealWorld(await QuietSystem.open());

  partyOf(who: Who): Party {
    const { provider, users } = this.system.ledger;
    if (who === 'provider') return provider;
    return users[who === 'anna' ? 0 : 1];
  }

  /** Returns the current contract of a life. */
  contractOf = (life: Life): ContractId => this.#known.get(life)?.contracts.at(-1) ?? trusted('');

  allocated(money: Money, contractId: string): void {
    this.#allocations.set(money, trusted(contractId));
  }

  allocationOf = (money: Money): ContractId => this.#allocations.get(money) ?? trusted('');

  nextCommandId(): CommandId {
    this.#commands += 1;
    return trusted(`command-${this.#commands}`);
  }

  /** Sends a request without waiting for its result. */
  async ask(
    ask: Ask,
    commandId: CommandId,
    name: Name,
    body = this.bodyOf(ask),
  ): Promise<RequestedChange | Told> {
    const { operation, by, ifVersion } = ask;
    try {
      return await this.system.ask(this.partyOf(by), {
        operation,
        commandId,
        target: operation === 'request-install' ? null : this.#nameOf(ask.life, name),
        body,
        ...(ifVersion === undefined ? {} : { ifVersions: [ifVersion] }),
      });
    } catch (error) {
      if (error instanceof ProblemError) return error.details.code;
      throw error;
    }
  }

  /** Returns the answer to a request after everything has settled. */
  toldOf(asked: RequestedChange | Told): Told {
    if (typeof asked === 'string') return asked;
    const { error, state } = this.changeOf(asked.change.id);
    return error?.code ?? state;
  }

  changeOf(id: Change['id']): Change {
    const row = this.system.contents.changes().find(({ change }) => change.id === id);
    if (row === undefined) throw new Error(`no change ${id}`);
    return row.change;
  }

  /** Checks that everything that callers and the ledger show agrees with the model. */
  expectSame(model: LicensingModel): void {
    this.#learn(model);
    const seen = model.lives.map((life) => this.#seen(life));
    same(seen, model.lives.map(told), 'what became of everything, and what should have');
    this.#expectLedger(model);
    this.#expectIdle();
  }

  /** Checks that no promise of Tenure is broken. */
  async expectPromiseKept(): Promise<void> {
    same(await this.system.findings(), [], 'broken promises');
  }

  /** Checks that callers see a lifecycle, and the list of its kind, as in the model. */
  async expectShown(model: LicensingModel, life: Life): Promise<void> {
    const { store, ledger } = this.system;
    const { id } = this.#known.get(life)!;
    await ledger.ledgerClock.refresh(IO);
    const view = await store.reads.lifecycle(id, IO);
    for (const who of ['provider', 'anna', 'ben'] as const) {
      const party = this.partyOf(who);
      const times = {
        nowMs: ledger.ledgerClock.nowMs(),
        certainMs: ledger.ledgerClock.certainMs(),
      };
      const shown = actionsFor(view!, callerOf(party), times, NEWEST_MODEL);
      const allowed = shown.filter((action) => action.allowed).map(({ name }) => name);
      const operations = shown.map(
        ({ name }) => NEWEST_MODEL.operationOf(life.kind, name)!.name as LicensingOperation,
      );
      const may = operations.filter((operation) => model.may(operation, life, who));
      same(
        allowed,
        may.map((one) => NEWEST_MODEL.operation(one).action),
        `what ${who} may do`,
      );
      const list = await store.reads.list({ kind: life.kind, party, limit: 1_000 }, IO);
      const mine = model.lives.filter(
        (one) => one.kind === life.kind && !hasEnded(one) && [one.user, 'provider'].includes(who),
      );
      const listed = list.map(({ lifecycle }) => lifecycle.id).sort();
      same(listed, mine.map((one) => this.#known.get(one)!.id).sort(), `what ${who} is listed`);
    }
    const history = await allOf(store.reads.history(id, IO));
    const lines = life.steps.map((kind, n) => ({ kind, seq: n + 1 }));
    same(
      history.map(({ kind, seq }) => ({ kind, seq })),
      lines,
      'its history',
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.system[Symbol.asyncDispose]();
  }

  #nameOf(life: Life | null, name: Name): string {
    const known = life === null ? undefined : this.#known.get(life);
    if (known === undefined) return UNKNOWN;
    return name === 'id' ? known.id : known.contracts.at(name === 'first' ? 0 : -1)!;
  }

  /** Returns the body of a request without the fields that name its lifecycle. */
  bodyOf({ operation, terms, money, allowConcurrent }: Ask): JsonRecord {
    const micros = (untilMs: number) => String((untilMs - this.system.nowMs) * 1_000);
    if (operation === 'request-install') return { provider: this.partyOf('provider') };
    if (operation === 'comment-license') return { body: 'good' };
    if (operation === 'complete-renewal') {
      return { allocationContractId: money == null ? UNKNOWN : this.allocationOf(money) };
    }
    if (operation !== 'renew-license') return {};
    return {
      licenseFeeCc: '100',
      description: 'one more term',
      licenseExtensionMicros: String(terms!.extensionMs * 1_000),
      prepareUntilMicros: micros(terms!.prepareUntilMs),
      settleBeforeMicros: micros(terms!.settleBeforeMs),
      ...(allowConcurrent === true ? { allowConcurrent } : {}),
    };
  }

  /** Finds the lifecycles of lives that are new, and the new contracts of all lives. */
  #learn(model: LicensingModel): void {
    const taken = new Set([...this.#known.values()].map(({ id }) => id));
    const fresh = this.system.contents.lifecycles().filter(({ id }) => !taken.has(id));
    for (const life of model.lives.filter((one) => !this.#known.has(one))) {
      const at = fresh.findIndex(
        ({ kind, appUser, licenseNum }) =>
          kind === life.kind &&
          appUser === this.partyOf(life.user) &&
          Number(licenseNum ?? 0n) === life.num,
      );
      const [found] = at < 0 ? [] : fresh.splice(at, 1);
      assert(found !== undefined, `there is no ${life.kind} of ${life.user}, and there should be`);
      this.#known.set(life, { id: found.id, contracts: [] });
    }
    same(fresh, [], 'lifecycles that there should not be');
    for (const { lifecycleId, contractId } of this.system.contents.lineage()) {
      const known = [...this.#known.values()].find(({ id }) => id === lifecycleId);
      if (known?.contracts.includes(contractId) === false) known.contracts.push(contractId);
    }
  }

  #seen(life: Life) {
    const { contents } = this.system;
    const { id } = this.#known.get(life)!;
    const row = contents.lifecycles().find((one) => one.id === id)!;
    return {
      kind: row.kind,
      state: row.state,
      version: row.version,
      hasEnded: row.endedAt !== null,
      steps: contents
        .history()
        .flatMap(({ entry }) => (entry.lifecycleId === id ? [entry.kind] : [])),
      ...(row.kind === 'license' ? { expiresAtMs: isoToMs(row.expiresAt ?? '') } : {}),
    };
  }

  /**
   * Checks that the ledger has the contracts of all lifecycles that have not ended, and no other contracts of these
   * kinds.
   */
  #expectLedger({ lives, comments }: LicensingModel): void {
    const { ledger } = this.system;
    const active = new Set<string>();
    const counts: Record<string, number> = {};
    for (const side of ['app-provider', 'app-user'] as const) {
      const node = ledger.network.participants[side];
      for (const party of [ledger.provider, ...ledger.users]) {
        for (const { contractId, template } of node.activeContracts(party)) {
          if (active.has(contractId)) continue;
          active.add(contractId);
          counts[template.name.entity] = (counts[template.name.entity] ?? 0) + 1;
        }
      }
    }
    const alive = (kind: Life['kind']) =>
      lives.filter((life) => life.kind === kind && !hasEnded(life));
    for (const [entity, kind] of Object.entries(ENTITIES)) {
      same(counts[entity] ?? 0, alive(kind).length, `${entity}s on the ledger`);
      const missing = alive(kind).filter((life) => !active.has(this.contractOf(life)));
      same(missing, [], 'what has not ended and is not on the ledger');
    }
    same(counts['LicenseComment'] ?? 0, comments, 'comments on the ledger');
  }

  /** Checks that nothing waits and nothing is left to do. */
  #expectIdle(): void {
    const { contents } = this.system;
    const busy = contents.mailboxes().filter(({ head, waiting }) => head !== null || waiting > 0);
    same(busy, [], 'lanes that are not idle');
    const left = contents.effects().filter(({ doneAtMs }) => doneAtMs === null);
    same(left, [], 'effects that are left');
  }
}

const ENTITIES = {
  AppInstallRequest: 'install-request',
  AppInstall: 'install',
  License: 'license',
  LicenseRenewalRequest: 'renewal',
} as const satisfies Readonly<Record<string, Life['kind']>>;

const told = (life: Life) => ({
  kind: life.kind,
  state: life.state,
  version: life.steps.length,
  hasEnded: hasEnded(life),
  steps: life.steps,
  ...(life.kind === 'license' ? { expiresAtMs: life.expiresAtMs } : {}),
});

const callerOf = (party: Party): Caller => ({
  party,
  roles: new Set(),
  via: 'bearer',
  tenantId: 'tenant',
  subject: 'somebody',
  name: 'Somebody',
});
