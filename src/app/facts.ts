import type { ContractId, LifecycleId, Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { textAt } from '../domain/json.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../domain/ledger.ts';
import { templateFqn } from '../domain/ledger.ts';
import { APP_INSTALL, APP_INSTALL_REQUEST, LICENSE } from '../domain/licensing.ts';
import type { LifecycleKind } from '../domain/lifecycle.ts';
import type { MachineEvent } from '../../machines/registry.ts';

/**
 * What an update says about lifecycles.
 *
 * - `born`: a contract appeared that continues none.
 * - `continued`: a contract was replaced by the next one of the same lifecycle.
 * - `happened`: something befell the contract of a lifecycle.
 */
export type Fact =
  | { readonly kind: 'born'; readonly lifecycleKind: LifecycleKind; readonly created: CreatedEvent }
  | {
      readonly kind: 'continued';
      readonly from: ContractId;
      readonly created: CreatedEvent;
      readonly event: MachineEvent;
    }
  | { readonly kind: 'happened'; readonly contractId: ContractId; readonly event: MachineEvent };

const sameTemplate = (a: TemplateName, b: TemplateName): boolean =>
  templateFqn(a) === templateFqn(b);

const KINDS: readonly { readonly template: TemplateName; readonly kind: LifecycleKind }[] = [
  { template: APP_INSTALL_REQUEST, kind: 'install-request' },
  { template: APP_INSTALL, kind: 'install' },
  { template: LICENSE, kind: 'license' },
];

/** The kind of lifecycle that a contract of this template stands for, or `null`. */
export const kindOfTemplate = (template: TemplateName): LifecycleKind | null =>
  KINDS.find((entry) => sameTemplate(entry.template, template))?.kind ?? null;

export const numLicensesCreatedOf = (created: CreatedEvent): string =>
  textAt(created.payload, 'numLicensesCreated') ?? '0';

/** What the consuming choices mean. A choice that is not here is `Archive` or a later model's: it ends. */
const ENDINGS: Readonly<Record<LifecycleKind, Readonly<Record<string, string>>>> = {
  'install-request': {
    AppInstallRequest_Accept: 'ledger.requestAccepted',
    AppInstallRequest_Reject: 'ledger.requestRejected',
    '': 'ledger.requestCancelled',
  },
  install: { '': 'ledger.installCancelled' },
  license: { '': 'ledger.licenseExpired' },
};

/** The exercise inside which an event happened and which consumed a contract of the same template. */
function replacedBy(created: CreatedEvent, events: readonly LedgerEvent[]): ExercisedEvent | null {
  for (const event of events) {
    if (event.kind !== 'exercised' || !event.consuming) continue;
    const inside = created.nodeId > event.nodeId && created.nodeId <= event.lastDescendantNodeId;
    if (inside && sameTemplate(event.template, created.template)) return event;
  }
  return null;
}

function continuation(created: CreatedEvent, from: ContractId): Fact {
  return {
    kind: 'continued',
    from,
    created,
    event: {
      type: 'ledger.installReplaced',
      numLicensesCreated: numLicensesCreatedOf(created),
    },
  };
}

const hasStake = (created: CreatedEvent, readAs: ReadonlySet<Party>): boolean =>
  created.signatories.some((party) => readAs.has(party)) ||
  created.observers.some((party) => readAs.has(party));

/**
 * What one transaction says, in the order in which it happened. Pure. A create in which none of the reading
 * parties has a stake is only divulged: it is nobody's lifecycle here.
 */
export function factsOf(transaction: LedgerTransaction, readAs: ReadonlySet<Party>): Fact[] {
  const { events } = transaction;
  const facts: Fact[] = [];
  const replaced = new Set<ContractId>();
  for (const event of events) {
    const kind = kindOfTemplate(event.template);
    if (kind === null || event.kind !== 'created' || !hasStake(event, readAs)) continue;
    const origin = kind === 'install' ? replacedBy(event, events) : null;
    if (origin === null) {
      facts.push({ kind: 'born', lifecycleKind: kind, created: event });
    } else {
      replaced.add(origin.contractId);
      facts.push(continuation(event, origin.contractId));
    }
  }
  for (const event of events) {
    const kind = kindOfTemplate(event.template);
    if (kind === null || event.kind !== 'exercised' || !event.consuming) continue;
    if (replaced.has(event.contractId)) continue;
    const type = ENDINGS[kind][event.choice] ?? ENDINGS[kind][''] ?? '';
    facts.push({ kind: 'happened', contractId: event.contractId, event: { type } });
  }
  return facts;
}

/** The contract IDs that a batch mentions: what has to be looked up before it is applied. */
export function contractsIn(transactions: readonly LedgerTransaction[]): ContractId[] {
  const found = new Set<ContractId>();
  for (const transaction of transactions) {
    for (const event of transaction.events) {
      if (event.kind === 'created' || event.consuming) found.add(event.contractId);
    }
  }
  return [...found];
}

/**
 * A lifecycle's identity follows from the first contract that stood for it, so a projection built anew
 * gives the same lifecycles the same names.
 */
export const lifecycleIdOf = (kind: LifecycleKind, first: ContractId): LifecycleId =>
  trusted<LifecycleId>(`${kind}-${first.slice(2, 42)}`);
