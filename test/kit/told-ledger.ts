import { randomBytes } from 'node:crypto';
import type { ContractId, Party } from '../../src/domain/ids.ts';
import type { TemplateName } from '../../src/domain/ledger.ts';
import type { CompletionStreamResponse } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { Event } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { GetActiveContractsResponse } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { GetUpdatesResponse } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { Record as LfRecord, Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { Script, ScriptedParticipant } from '../contract/kit/scripted-participant.ts';
import { refuse } from '../contract/kit/scripted-participant.ts';
import { record } from '../contract/kit/values.ts';

/*
 * A participant whose ledger a test writes update by update, in the protocol's own messages: for updates that no
 * simulated ledger produces on demand.
 */

export const PACKAGE_ID = 'a'.repeat(64);
const SYNCHRONIZER = 'global::1220';
/** Returns 2026-01-01, plus one second for each offset. */
const atOffset = (offset: bigint) => ({ seconds: 1_767_225_600n + offset, nanos: 0 });

export interface Contract {
  readonly contractId: ContractId;
  readonly template: TemplateName;
  readonly packageId: string;
  readonly payload: LfRecord;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
}

export const newContract = (
  template: TemplateName,
  payload: Readonly<Record<string, Value>>,
  signatories: readonly Party[],
  more: Partial<Contract> = {},
): Contract => ({
  contractId: `00${randomBytes(34).toString('hex')}` as ContractId,
  template,
  packageId: PACKAGE_ID,
  payload: record(payload),
  signatories,
  observers: [],
  ...more,
});

const identifier = ({ template: { moduleName, entityName }, packageId }: Contract) => ({
  packageId,
  moduleName,
  entityName,
});

const createdEvent = (contract: Contract, offset: bigint, nodeId: number) => ({
  offset,
  nodeId,
  contractId: contract.contractId,
  templateId: identifier(contract),
  contractKey: undefined,
  createArguments: contract.payload,
  createdEventBlob: new Uint8Array(),
  interfaceViews: [],
  witnessParties: [...contract.signatories],
  signatories: [...contract.signatories],
  observers: [...contract.observers],
  createdAt: atOffset(offset),
  packageName: contract.template.packageName,
  acsDelta: true,
  representativePackageId: contract.packageId,
});

export const creates =
  (contract: Contract) =>
  (offset: bigint, nodeId: number): Event => ({
    event: { $case: 'created', value: createdEvent(contract, offset, nodeId) as never },
  });

/** Returns a consuming exercise whose consequences are the given number of nodes that follow it. */
export const consumes =
  (contract: Contract, choice: string, inside = 0, result?: Value) =>
  (offset: bigint, nodeId: number): Event => ({
    event: {
      $case: 'exercised',
      value: {
        offset,
        nodeId,
        contractId: contract.contractId,
        templateId: identifier(contract),
        interfaceId: undefined,
        choice,
        choiceArgument: { sum: { $case: 'unit', value: {} } },
        actingParties: [...contract.signatories],
        consuming: true,
        witnessParties: [...contract.signatories],
        lastDescendantNodeId: nodeId + inside,
        exerciseResult: result ?? { sum: { $case: 'unit', value: {} } },
        packageName: contract.template.packageName,
        implementedInterfaces: [],
        acsDelta: true,
      } as never,
    },
  });

type Told<Message> = { readonly offset: bigint; readonly message: Message };
type MadeEvent = (offset: bigint, nodeId: number) => Event;

export class ToldLedger {
  end = 0n;
  prunedUpTo = 0n;
  readonly updates: Told<GetUpdatesResponse>[] = [];
  readonly completions: Told<CompletionStreamResponse>[] = [];
  /** Active contracts, with the offsets of their creation. */
  readonly active = new Map<ContractId, { readonly contract: Contract; readonly offset: bigint }>();
  /** The offset after which each stream of updates was opened. */
  readonly opened: bigint[] = [];
  /** The prefix of all update IDs: it differs for other ledgers, and for another history of this ledger. */
  readonly history: string;
  #more = Promise.withResolvers<void>();

  constructor(history = 'u') {
    this.history = history;
  }

  idAt(offset: bigint): string {
    return `${this.history}-${offset}`;
  }

  /** Adds a transaction at the given offset or, by default, at the next one. */
  transact(events: readonly MadeEvent[], offset = this.end + 1n, more: object = {}): bigint {
    const made = events.map((event, nodeId) => event(offset, nodeId));
    const value = {
      updateId: this.idAt(offset),
      commandId: '',
      workflowId: '',
      effectiveAt: atOffset(offset),
      recordTime: atOffset(offset),
      offset,
      synchronizerId: SYNCHRONIZER,
      traceContext: undefined,
      events: made,
      ...more,
    };
    return this.tell(offset, { update: { $case: 'transaction', value } });
  }

  create(...contracts: readonly Contract[]): bigint {
    const offset = this.transact(contracts.map(creates));
    for (const contract of contracts) this.active.set(contract.contractId, { contract, offset });
    return offset;
  }

  /** Adds a message, unchanged, as the update at this offset. */
  tell(offset: bigint, message: GetUpdatesResponse): bigint {
    this.updates.push({ offset, message });
    if (offset > this.end) this.end = offset;
    this.#wake();
    return offset;
  }

  checkpoint(): bigint {
    const offset = this.end + 1n;
    const value = { offset, synchronizerTimes: [] };
    this.completions.push({
      offset,
      message: { completionResponse: { $case: 'offsetCheckpoint', value } },
    });
    return this.tell(offset, { update: { $case: 'offsetCheckpoint', value } });
  }

  complete(completion: object, offset = this.end + 1n): bigint {
    const value = { offset, actAs: [], userId: 'backend', commandId: 'c', ...completion };
    const message = { completionResponse: { $case: 'completion', value: value as never } } as const;
    this.completions.push({ offset, message });
    if (offset > this.end) this.end = offset;
    this.#wake();
    return offset;
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }

  /** Makes a scripted participant serve this ledger. */
  script(peer: ScriptedParticipant): Script {
    const script: Script = {
      ledgerEnd: () => this.end,
      prunedUpTo: () => this.prunedUpTo,
      updates: (request, context) => {
        this.opened.push(request.beginExclusive);
        return this.#tail(this.updates, request.beginExclusive, context, request.endInclusive);
      },
      completions: (request, context) =>
        this.#tail(this.completions, request.beginExclusive, context),
      activeContracts: ({ activeAtOffset }) => this.#snapshot(activeAtOffset),
      updateById: ({ updateId }, context) => {
        const told = this.updates.find(({ offset }) => this.idAt(offset) === updateId);
        const found = told?.message.update;
        if (told === undefined || told.offset <= this.prunedUpTo)
          refuse(context, 'UPDATE_NOT_FOUND');
        return { update: found as never };
      },
      updateByOffset: ({ offset }, context) => {
        if (offset <= this.prunedUpTo) refuse(context, 'PARTICIPANT_PRUNED_DATA_ACCESSED');
        const found = this.updates.find((told) => told.offset === offset)?.message.update;
        if (found?.$case !== 'transaction') refuse(context, 'UPDATE_NOT_FOUND');
        return { update: found };
      },
    };
    peer.script = script;
    return script;
  }

  async *#tail<Message>(
    told: readonly Told<Message>[],
    after: bigint,
    context: Parameters<NonNullable<Script['updates']>>[1],
    upTo?: bigint,
  ): AsyncGenerator<Message> {
    if (after > this.end) refuse(context, 'OFFSET_AFTER_LEDGER_END');
    if (after < this.prunedUpTo) {
      const metadata = { earliest_offset: String(this.prunedUpTo) };
      refuse(context, 'PARTICIPANT_PRUNED_DATA_ACCESSED', { metadata });
    }
    let next = 0;
    while (!context.signal.aborted) {
      const more = this.#more.promise;
      for (; next < told.length; next += 1) {
        const { offset, message } = told[next]!;
        if (upTo !== undefined && offset > upTo) return;
        if (offset > after) yield message;
      }
      if (upTo !== undefined && upTo <= this.end) return;
      const ended = Promise.withResolvers<void>();
      const end = () => ended.resolve();
      context.signal.addEventListener('abort', end, { once: true });
      await Promise.race([more, ended.promise]);
      context.signal.removeEventListener('abort', end);
    }
  }

  async *#snapshot(atOffset: bigint): AsyncGenerator<GetActiveContractsResponse> {
    for (const { contract, offset } of this.active.values()) {
      if (offset > atOffset) continue;
      const value = {
        createdEvent: createdEvent(contract, offset, 0) as never,
        synchronizerId: SYNCHRONIZER,
        reassignmentCounter: 0n,
      };
      yield {
        streamContinuationToken: new Uint8Array(),
        workflowId: '',
        contractEntry: { $case: 'activeContract', value },
      };
    }
  }
}
