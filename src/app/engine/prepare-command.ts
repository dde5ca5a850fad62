import type { LedgerAnswer } from '../../domain/answer.ts';
import { NOTHING_SENT } from '../../domain/answer.ts';
import type { Change } from '../../domain/change.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { DisclosedContract, LedgerCommand } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { assert, unreachable } from '../../domain/unreachable.ts';
import type { ContractModel } from '../contract/model.ts';
import { ARCHIVE } from '../contract/model.ts';
import type { Gathered, Through } from '../contract/operation.ts';
import { isOfAnother } from '../contract/operation.ts';
import type { Io } from '../ports/io.ts';
import type { StartedAttempt } from '../ports/outbox.ts';
import type { TokenRegistry } from '../ports/registry.ts';
import { RegistryError } from '../ports/registry.ts';

/** An attempt that is about to be made, with the lifecycle as it will name it to the ledger. */
export interface Judged {
  readonly change: Change;
  /** `null` for a create. */
  readonly lifecycle: Lifecycle | null;
}

export interface PrepareDeps {
  readonly registry: TokenRegistry;
  readonly model: ContractModel;
  /** Why what a policy has asked for is not to be done any more: see `judgeAgain`. */
  readonly judge: (attempt: Judged, io: Io) => Promise<LedgerAnswer | null>;
}

/** A command that is ready to be submitted. */
export interface PreparedCommand {
  readonly command: LedgerCommand;
  readonly disclosed: readonly DisclosedContract[];
}

/**
 * The ledger command of a change, on the contract that stands for its lifecycle at this moment. Arguments depend on the
 * recorded change alone, so every attempt of a change carries the same; but for the facts that are gathered for each
 * attempt anew, which name contracts that others replace.
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

/** Nothing was sent: the same command later, for as long as it takes. */
function notGathered(error: RegistryError): LedgerAnswer {
  const nothingSent = { ...NOTHING_SENT, text: error.message };
  switch (error.kind) {
    case 'unavailable':
      return {
        ...nothingSent,
        class: 'unknown',
        code: 'REGISTRY_UNAVAILABLE',
        explanation: 'the token registry cannot be asked',
        takesNoTry: true,
        waitsFor: 'registry',
      };
    case 'not-found':
      return {
        ...nothingSent,
        class: 'contention',
        code: 'ALLOCATION_NOT_FOUND',
        explanation: 'the token registry does not know the allocation: it is gone, or quite new',
        takesNoTry: false,
        waitsFor: 'registry',
      };
    case 'refused':
      return {
        ...nothingSent,
        class: 'refused',
        code: 'REGISTRY_REFUSED',
        explanation: `the token registry refuses it: ${error.message}`,
        takesNoTry: false,
      };
    default:
      return unreachable(error.kind);
  }
}

/** Why nothing is sent: of what a change needs that it does not act on. */
const notThrough = (why: Through['ended']): LedgerAnswer => ({
  class: 'refused',
  ...why,
  text: 'not sent',
  takesNoTry: false,
  ...NOTHING_SENT,
});

const NOTHING_GATHERED: Gathered = { facts: undefined, disclosed: [] };

/**
 * The command of an attempt, with everything that must be asked of others for it: anew each time, because rounds and
 * contracts of the token change.
 *
 * @returns an answer in its place when that could not be had; then nothing must be sent
 */
export async function prepareCommand(
  deps: PrepareDeps,
  { change, lifecycle, through }: Pick<StartedAttempt, 'change' | 'lifecycle' | 'through'>,
  io: Io,
): Promise<PreparedCommand | LedgerAnswer> {
  const operation = deps.model.operation(change.operation);
  // It has ended while the change waited, or while it was on its way.
  if (operation.through !== undefined && through !== null && through.endedAt !== null) {
    return notThrough(operation.through.ended);
  }
  // An earlier version has recorded it, which joins by what contracts name.
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
