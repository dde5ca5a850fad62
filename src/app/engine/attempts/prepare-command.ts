import type { LedgerAnswer } from '../../../domain/answer.ts';
import { NOTHING_SENT } from '../../../domain/answer.ts';
import type { Change } from '../../../domain/change.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { DisclosedContract, LedgerCommand } from '../../../domain/ledger.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { assert, unreachable } from '../../../domain/unreachable.ts';
import type { ContractModel } from '../../contract/model.ts';
import { ARCHIVE } from '../../contract/model.ts';
import type { Gathered, Through } from '../../contract/operation.ts';
import { isOfAnother } from '../../contract/operation.ts';
import type { WallClock } from '../../ports/clocks.ts';
import type { Io } from '../../ports/io.ts';
import type { StartedAttempt } from '../../ports/outbox.ts';
import type { TokenRegistry } from '../../ports/registry.ts';
import { RegistryError } from '../../ports/registry.ts';

/**
 * Returns a function that measures the milliseconds since its creation. A steady clock stops while the machine sleeps,
 * and a wall clock may be set back, so the larger of the two measurements is returned.
 */
export function stopwatch(wallClock: WallClock): () => number {
  const [steadyMs, wallMs] = [performance.now(), wallClock.nowMs()];
  return () => Math.max(performance.now() - steadyMs, wallClock.nowMs() - wallMs);
}

/** An attempt that is about to be made, with the lifecycle whose contract its command will name. */
export interface Judged {
  readonly change: Change;
  /** `null` for a command that creates a contract. */
  readonly lifecycle: Lifecycle | null;
}

export interface PrepareDeps {
  readonly registry: TokenRegistry;
  readonly model: ContractModel;
  /** Returns why a policy's change must no longer be submitted, or `null`: see `judgeAgain`. */
  readonly judge: (attempt: Judged, io: Io) => Promise<LedgerAnswer | null>;
}

/** A command that is ready to be submitted. */
export interface PreparedCommand {
  readonly command: LedgerCommand;
  readonly disclosed: readonly DisclosedContract[];
}

/**
 * Returns the ledger command of a change, on the current contract of its lifecycle. Arguments depend only on the
 * recorded change, so they are equal in all attempts. The exception is data that is gathered for each attempt: it names
 * contracts that other updates replace.
 */
export function commandFor(
  model: ContractModel,
  change: Change,
  lifecycle: Lifecycle | null,
  facts?: unknown,
): LedgerCommand {
  const operation = model.operation(change.operation);
  const { command } = operation;
  const { body, fixed } = change;
  const argument = (): JsonRecord => operation.argument({ change, body, fixed, lifecycle, facts });
  if (command.kind === 'create') {
    return { kind: 'create', template: command.template, argument: argument() };
  }
  assert(lifecycle !== null, 'a choice is exercised on a lifecycle');
  const { template, name, elseArchive } = command;
  const { contractId } = lifecycle;
  return elseArchive === undefined || model.has(elseArchive.lacking)
    ? { kind: 'exercise', template, contractId, choice: name, argument: argument() }
    : { kind: 'exercise', template, contractId, choice: ARCHIVE, argument: {} };
}

/**
 * Returns the answer for a command that was not sent because of the token registry. While the registry is unavailable,
 * the command is retried without limit.
 */
function notGathered(error: RegistryError): LedgerAnswer {
  const nothingSent = { ...NOTHING_SENT, text: error.message };
  switch (error.kind) {
    case 'unavailable':
      return {
        ...nothingSent,
        class: 'unknown',
        code: 'REGISTRY_UNAVAILABLE',
        explanation: 'the token registry does not answer',
        takesNoTry: true,
        waitsFor: 'registry',
      };
    case 'not-found':
      return {
        ...nothingSent,
        class: 'contention',
        code: 'ALLOCATION_NOT_FOUND',
        explanation:
          'the token registry does not know the allocation: it has ended, or was created a moment ago',
        takesNoTry: false,
        waitsFor: 'registry',
      };
    case 'refused':
      return {
        ...nothingSent,
        class: 'refused',
        code: 'REGISTRY_REFUSED',
        explanation: `the token registry refuses the allocation: ${error.message}`,
        takesNoTry: false,
      };
    default:
      return unreachable(error.kind);
  }
}

/**
 * Returns the answer for a command that was not sent because of the state of a lifecycle that the change needs but does
 * not act on.
 */
const notThrough = (why: Through['ended']): LedgerAnswer => ({
  class: 'refused',
  ...why,
  text: 'not sent',
  takesNoTry: false,
  ...NOTHING_SENT,
});

const NOTHING_GATHERED: Gathered = { facts: undefined, disclosed: [] };

/**
 * Prepares the command of an attempt with all data from other services. The data is fetched in each attempt, because
 * rounds and contracts of the token change.
 *
 * @returns an answer instead, if the data is not available; then nothing must be sent
 */
export async function prepareCommand(
  deps: PrepareDeps,
  { change, lifecycle, through }: Pick<StartedAttempt, 'change' | 'lifecycle' | 'through'>,
  io: Io,
): Promise<PreparedCommand | LedgerAnswer> {
  const operation = deps.model.operation(change.operation);
  // The lifecycle that the change needs ended while the change waited, or while that lifecycle was in transit.
  if (operation.through !== undefined && through !== null && through.endedAt !== null) {
    return notThrough(operation.through.ended);
  }
  // An earlier version of Tenure recorded the change; that version connected lifecycles by the values in their
  // contracts.
  const another = operation.through?.another;
  if (another !== undefined && lifecycle !== null && isOfAnother(lifecycle, through?.id ?? null)) {
    return notThrough(another);
  }
  const outdated = await deps.judge({ change, lifecycle }, io);
  if (outdated !== null) return outdated;
  try {
    const bounded = { signal: io.signal, deadlineMs: LIMITS.registryMs };
    const { body, fixed } = change;
    const asked = { change, body, fixed, registry: deps.registry, through };
    const { facts, disclosed } = (await operation.gather?.(asked, bounded)) ?? NOTHING_GATHERED;
    return { command: commandFor(deps.model, change, lifecycle, facts), disclosed };
  } catch (error) {
    if (error instanceof RegistryError) return notGathered(error);
    throw error;
  }
}
