import type { ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { textAt } from '../../domain/json.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import {
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
} from '../../domain/licensing.ts';
import type { LifecycleKind } from '../../domain/lifecycle.ts';
import type { MachineEvent } from '../../../machines/registry.ts';

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
      readonly lifecycleKind: LifecycleKind;
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
  { template: LICENSE_RENEWAL_REQUEST, kind: 'renewal' },
];

/** The kind of lifecycle that a contract of this template stands for, or `null`. */
export const kindOfTemplate = (template: TemplateName): LifecycleKind | null =>
  KINDS.find((entry) => sameTemplate(entry.template, template))?.kind ?? null;

/** A contract of ours is always asked for by its template. */
export const payloadOf = ({ payload }: CreatedEvent): JsonRecord => payload ?? {};

/** What a lifecycle cannot be without. Everything else may be missing or unknown: payloads grow with their templates. */
const REQUIRED: Readonly<Record<LifecycleKind, readonly string[]>> = {
  'install-request': ['provider', 'user'],
  install: ['provider', 'user'],
  license: ['provider', 'user', 'licenseNum', 'expiresAt'],
  renewal: ['provider', 'user', 'licenseNum', 'settleBefore', 'requestId'],
};

const hasStake = (created: CreatedEvent, readAs: ReadonlySet<Party>): boolean =>
  created.signatories.some((party) => readAs.has(party)) ||
  created.observers.some((party) => readAs.has(party));

/** Why a contract cannot stand for a lifecycle although its template says so, or `null`. */
export function defectOfContract(created: CreatedEvent, readAs: ReadonlySet<Party>): string | null {
  const kind = kindOfTemplate(created.template);
  if (kind === null || !hasStake(created, readAs)) return null;
  const payload = payloadOf(created);
  const missing = REQUIRED[kind].find((field) => (textAt(payload, field) ?? '') === '');
  if (missing === undefined) return null;
  return `creates ${created.template.entityName} ${created.contractId} without ${missing}`;
}

/** What is wrong with a transaction as far as it concerns lifecycles, in words, or `null`. */
export function defectOf({ events }: LedgerTransaction, readAs: ReadonlySet<Party>): string | null {
  for (const event of events) {
    const defect = event.kind === 'created' ? defectOfContract(event, readAs) : null;
    if (defect !== null) return defect;
  }
  return null;
}

export const numLicensesCreatedOf = (created: CreatedEvent): string =>
  textAt(payloadOf(created), 'numLicensesCreated') ?? '0';

export const COMPLETE_RENEWAL = 'LicenseRenewalRequest_CompleteRenewal';

/** What the consuming choices mean. A choice that is not here is `Archive` or a later model's: it ends. */
const ENDINGS: Readonly<Record<LifecycleKind, Readonly<Record<string, string>>>> = {
  'install-request': {
    AppInstallRequest_Accept: 'ledger.requestAccepted',
    AppInstallRequest_Reject: 'ledger.requestRejected',
    '': 'ledger.requestCancelled',
  },
  install: { '': 'ledger.installCancelled' },
  license: { '': 'ledger.licenseExpired' },
  renewal: {
    [COMPLETE_RENEWAL]: 'ledger.renewalCompleted',
    AllocationRequest_Reject: 'ledger.renewalRejected',
    '': 'ledger.renewalWithdrawn',
  },
};

const isInside = (event: LedgerEvent, { nodeId, lastDescendantNodeId }: ExercisedEvent): boolean =>
  event.nodeId > nodeId && event.nodeId <= lastDescendantNodeId;

const consumes = (event: LedgerEvent, template: TemplateName): event is ExercisedEvent =>
  event.kind === 'exercised' && event.consuming && sameTemplate(event.template, template);

/**
 * The choice that ended a contract. Where Daml calls a choice postconsuming, the ledger shows it as one that consumes
 * nothing, with an `Archive` of the same contract as its last step.
 */
function endedBy(event: ExercisedEvent, events: readonly LedgerEvent[]): string {
  const around = events.find(
    (outer): outer is ExercisedEvent =>
      outer.kind === 'exercised' && outer.contractId === event.contractId && isInside(event, outer),
  );
  return (around ?? event).choice;
}

/** An install is replaced by the choice that consumes it and creates the next one. */
function replacedInstall(
  created: CreatedEvent,
  events: readonly LedgerEvent[],
): ExercisedEvent | undefined {
  return events.find(
    (event): event is ExercisedEvent =>
      consumes(event, created.template) && isInside(created, event),
  );
}

/** A licence is replaced while a renewal is completed: inside that choice it is archived, and the next one created. */
function replacedLicense(
  created: CreatedEvent,
  events: readonly LedgerEvent[],
): ExercisedEvent | undefined {
  const completion = events.find(
    (event): event is ExercisedEvent =>
      event.kind === 'exercised' && event.choice === COMPLETE_RENEWAL && isInside(created, event),
  );
  if (completion === undefined) return undefined;
  return events.find(
    (event): event is ExercisedEvent =>
      consumes(event, created.template) && isInside(event, completion),
  );
}

/** The exercise that consumed the contract whose place the created one takes. */
function replacedBy(
  kind: LifecycleKind,
  created: CreatedEvent,
  events: readonly LedgerEvent[],
): ExercisedEvent | undefined {
  if (kind === 'install') return replacedInstall(created, events);
  return kind === 'license' ? replacedLicense(created, events) : undefined;
}

/** What the machine is told of the contract that took the place of another. */
const replacementEvent = (kind: LifecycleKind, created: CreatedEvent): MachineEvent =>
  kind === 'license'
    ? { type: 'ledger.licenseRenewed', expiresAt: textAt(payloadOf(created), 'expiresAt') ?? '' }
    : { type: 'ledger.installReplaced', numLicensesCreated: numLicensesCreatedOf(created) };

/** Contracts that were archived in the transaction that created them: nobody could have done anything with them. */
function passingIn(events: readonly LedgerEvent[]): ReadonlySet<ContractId> {
  const archived = new Set(
    events.flatMap((event) =>
      event.kind === 'exercised' && event.choice === 'Archive' ? event.contractId : [],
    ),
  );
  return new Set(
    events.flatMap(({ kind, contractId }) =>
      kind === 'created' && archived.has(contractId) ? contractId : [],
    ),
  );
}

/**
 * What one transaction says, in the order in which it happened. Pure. A create in which none of the reading
 * parties has a stake is only divulged: it is nobody's lifecycle here. One that passes by begins none either.
 */
export function factsOf(transaction: LedgerTransaction, readAs: ReadonlySet<Party>): Fact[] {
  const passing = passingIn(transaction.events);
  const events = transaction.events.filter(({ contractId }) => !passing.has(contractId));
  const facts: Fact[] = [];
  const replaced = new Set<ContractId>();
  for (const event of events) {
    const kind = kindOfTemplate(event.template);
    if (kind === null || event.kind !== 'created' || !hasStake(event, readAs)) continue;
    const origin = replacedBy(kind, event, events);
    if (origin === undefined) {
      facts.push({ kind: 'born', lifecycleKind: kind, created: event });
    } else {
      const from = origin.contractId;
      replaced.add(from);
      const machineEvent = replacementEvent(kind, event);
      facts.push({
        kind: 'continued',
        lifecycleKind: kind,
        from,
        created: event,
        event: machineEvent,
      });
    }
  }
  for (const event of events) {
    const kind = kindOfTemplate(event.template);
    if (kind === null || event.kind !== 'exercised' || !event.consuming) continue;
    if (replaced.has(event.contractId)) continue;
    const type = ENDINGS[kind][endedBy(event, events)] ?? ENDINGS[kind][''] ?? '';
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

/**
 * What must happen one after the other with a contract's lifecycle: a licence with its renewals, which name it by its
 * number alone; everything else by itself.
 */
export function laneOf(kind: LifecycleKind, id: LifecycleId, created: CreatedEvent): LaneId {
  if (kind !== 'license' && kind !== 'renewal') return trusted<LaneId>(id);
  const payload = payloadOf(created);
  const [provider, user, number] = ['provider', 'user', 'licenseNum'].map((field) =>
    textAt(payload, field),
  );
  return trusted<LaneId>(`license:${provider ?? ''}/${user ?? ''}/${number ?? ''}`);
}

/** The lanes in which a batch begins renewals: somebody may be at work in them. */
export function lanesOfRenewals(transactions: readonly LedgerTransaction[]): LaneId[] {
  return transactions.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.kind === 'created' && kindOfTemplate(event.template) === 'renewal'
        ? [laneOf('renewal', lifecycleIdOf('renewal', event.contractId), event)]
        : [],
    ),
  );
}
