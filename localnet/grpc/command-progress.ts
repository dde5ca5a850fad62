import type { CommandStatus } from '../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import { CommandState } from '../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Status } from '../../proto/gen/google/rpc/status.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import type { Completion, LedgerTransaction } from '../ledger/update.ts';
import type { Encoder } from './encode.ts';
import { wireStatus } from './errors.ts';
import { timestampOf } from '../messages/times.ts';
import { identifier } from '../messages/values.ts';

/** The maximum number of commands of each state that a participant remembers. */
const PENDING_MAX = 1000;
const FAILED_MAX = 100;
const SUCCEEDED_MAX = 100;

/** A submitted command. */
export interface TrackedCommand {
  readonly commandId: string;
  readonly submissionId: string;
  readonly userId: string;
  readonly actAs: readonly string[];
  readonly commands: readonly Command[];
}

interface Tracked extends TrackedCommand {
  readonly startedMicros: bigint;
  completedMicros?: bigint;
  /** The error that ended the command before it was registered. */
  error?: LedgerError;
  completion?: Completion;
}

const keyOf = (of: { readonly commandId: string; readonly submissionId: string }): string =>
  `${of.commandId}\n${of.submissionId}`;

/** Remembers in memory the outcomes of one participant's latest commands. They are lost at a restart. */
export class CommandProgress {
  readonly #participant: ParticipantNode;
  readonly #encoder: Encoder;
  readonly #pending = new Map<string, Tracked>();
  #failed: Tracked[] = [];
  #succeeded: Tracked[] = [];

  constructor(participant: ParticipantNode, encoder: Encoder) {
    this.#participant = participant;
    this.#encoder = encoder;
    participant.onCompletion = (completion) => this.#onCompletion(completion);
  }

  /** Submits a command, and records its outcome. */
  async follow<T>(command: TrackedCommand, submit: () => Promise<T>): Promise<T> {
    if (this.#pending.size < PENDING_MAX) {
      const startedMicros = this.#participant.nowMicros();
      this.#pending.set(keyOf(command), { ...command, startedMicros });
    }
    try {
      return await submit();
    } catch (error) {
      if (error instanceof LedgerError) this.#fail(keyOf(command), error);
      else this.#pending.delete(keyOf(command));
      throw error;
    }
  }

  /** Returns the latest commands by state: first failed, then pending, then succeeded ones. */
  find(prefix: string, state: CommandState, limit: number): CommandStatus[] {
    const pools: readonly (readonly [CommandState, Iterable<Tracked>])[] = [
      [CommandState.FAILED, this.#failed],
      [CommandState.PENDING, this.#pending.values()],
      [CommandState.SUCCEEDED, this.#succeeded],
    ];
    const isKnown = pools.some(([of]) => of === state);
    return pools
      .filter(([of]) => of === state || !isKnown)
      .flatMap(([of, pool]) =>
        [...pool]
          .filter(({ commandId }) => commandId.startsWith(prefix))
          .slice(0, limit)
          .map((tracked) => this.#status(tracked, of)),
      )
      .slice(0, limit);
  }

  #fail(key: string, error: LedgerError): void {
    const tracked = this.#pending.get(key);
    if (tracked === undefined) return;
    this.#pending.delete(key);
    this.#remember('failed', { ...tracked, error });
  }

  #onCompletion(completion: Completion): void {
    if (this.#pending.size === 0) return;
    const key = keyOf(completion.submitter);
    const tracked = this.#pending.get(key);
    if (tracked === undefined) return;
    this.#pending.delete(key);
    const outcome = completion.rejection === undefined ? 'succeeded' : 'failed';
    this.#remember(outcome, { ...tracked, completion });
  }

  #remember(outcome: 'failed' | 'succeeded', tracked: Tracked): void {
    const ended = { ...tracked, completedMicros: this.#participant.nowMicros() };
    if (outcome === 'failed') this.#failed = [ended, ...this.#failed.slice(0, FAILED_MAX - 1)];
    else this.#succeeded = [ended, ...this.#succeeded.slice(0, SUCCEEDED_MAX - 1)];
  }

  #status(tracked: Tracked, state: CommandState): CommandStatus {
    const { startedMicros, completedMicros, completion } = tracked;
    const transaction = this.#transactionOf(completion);
    return {
      started: timestampOf(startedMicros),
      completed: completedMicros === undefined ? undefined : timestampOf(completedMicros),
      completion: this.#completion(tracked),
      state,
      commands: [...tracked.commands],
      // LocalNet sends no envelopes to a sequencer, and does not measure the phases of a command.
      requestStatistics: undefined,
      updates: transaction === undefined ? undefined : updatesOf(transaction),
      synchronizerId: completion === undefined ? '' : this.#participant.synchronizerId,
      timings: [],
    };
  }

  #completion({ completion, error, ...tracked }: Tracked): CommandStatus['completion'] {
    if (completion !== undefined) return this.#encoder.completion(completion, () => true);
    const { commandId, submissionId, userId, actAs } = tracked;
    return {
      commandId,
      submissionId,
      userId,
      actAs: [...actAs],
      status: error === undefined ? undefined : statusOf(error, submissionId),
      updateId: '',
      deduplicationPeriod: undefined,
      traceContext: undefined,
      offset: 0n,
      synchronizerTime: undefined,
      paidTrafficCost: 0n,
    };
  }

  #transactionOf(completion: Completion | undefined): LedgerTransaction | undefined {
    if (completion === undefined || completion.updateId === '') return undefined;
    const update = this.#participant.updateById(completion.updateId)?.update;
    return update?.kind === 'transaction' ? update : undefined;
  }
}

function statusOf(error: LedgerError, submissionId: string): Status {
  const { code, text, metadata, resources, definiteAnswer } = error;
  const rejection = { code, text, metadata, resources, definiteAnswer };
  return wireStatus(rejection, { traceId: '', submissionId });
}

/** Returns the creations and archivals of a transaction. Fetches cause no events, so they are not counted. */
function updatesOf({ events }: LedgerTransaction): CommandStatus['updates'] {
  const contractOf = ({ contract }: LedgerTransaction['events'][number]) => ({
    templateId: identifier(contract.packageId, contract.template.name),
    contractId: contract.contractId,
    contractKey: undefined,
  });
  const exercised = events.filter(({ kind }) => kind === 'exercised');
  return {
    created: events.filter(({ kind }) => kind === 'created').map(contractOf),
    archived: exercised.filter((event) => 'consuming' in event && event.consuming).map(contractOf),
    exercised: exercised.length,
    fetched: 0,
    lookedUpByKey: 0,
  };
}
