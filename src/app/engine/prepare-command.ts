import type { LedgerAnswer } from '../../domain/answer.ts';
import { NOTHING_SENT } from '../../domain/answer.ts';
import type { Change } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { textAt } from '../../domain/json.ts';
import type { DisclosedContract, LedgerCommand } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { assert, unreachable } from '../../domain/unreachable.ts';
import type { ContractModel, Gathered } from '../licensing/commands.ts';
import { commandFor } from '../licensing/commands.ts';
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
        unsent: true,
        waitsFor: 'registry',
      };
    case 'not-found':
      return {
        ...nothingSent,
        class: 'contention',
        code: 'ALLOCATION_NOT_FOUND',
        explanation: 'the token registry does not know the allocation: it is gone, or quite new',
        unsent: false,
        waitsFor: 'registry',
      };
    case 'refused':
      return {
        ...nothingSent,
        class: 'refused',
        code: 'REGISTRY_REFUSED',
        explanation: `the token registry refuses it: ${error.message}`,
        unsent: false,
      };
    default:
      return unreachable(error.kind);
  }
}

/** Of a change that waited behind the end of its licence, or met it on its way. */
const LICENSE_ENDED: LedgerAnswer = {
  class: 'refused',
  code: 'LICENSE_ENDED',
  explanation: 'the licence that it extends has ended',
  text: 'not sent',
  unsent: false,
  ...NOTHING_SENT,
};

async function gather(
  registry: TokenRegistry,
  change: Change,
  license: Lifecycle | null,
  io: Io,
): Promise<{ readonly gathered: Gathered; readonly disclosed: readonly DisclosedContract[] }> {
  if (change.operation === 'renew-license') {
    return { gathered: { instrumentAdmin: await registry.instrumentAdmin(io) }, disclosed: [] };
  }
  if (change.operation !== 'complete-renewal') return { gathered: {}, disclosed: [] };
  assert(license !== null, 'the licence of a completion was known when it was recorded');
  const allocation = trusted<ContractId>(textAt(change.body, 'allocationContractId') ?? '');
  const { values, disclosed } = await registry.settlementContext(allocation, io);
  return { gathered: { licenseContract: license.contractId, choiceContext: values }, disclosed };
}

/**
 * The command of an attempt, with everything that must be asked of others for it: anew each time, because rounds and
 * contracts of the token change.
 *
 * @returns an answer in its place when that could not be had; then nothing must be sent
 */
export async function prepareCommand(
  deps: PrepareDeps,
  { change, lifecycle, license }: Pick<StartedAttempt, 'change' | 'lifecycle' | 'license'>,
  io: Io,
): Promise<PreparedCommand | LedgerAnswer> {
  if (license !== null && license.endedAt !== null) return LICENSE_ENDED;
  const outdated = await deps.judge({ change, lifecycle }, io);
  if (outdated !== null) return outdated;
  try {
    const bounded = { signal: io.signal, deadlineMs: LIMITS.registryMs };
    const { gathered, disclosed } = await gather(deps.registry, change, license, bounded);
    return { command: commandFor(change, lifecycle, deps.model, gathered), disclosed };
  } catch (error) {
    if (error instanceof RegistryError) return notGathered(error);
    throw error;
  }
}
