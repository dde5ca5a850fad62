import { randomUUID } from 'node:crypto';
import { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  Command,
  DisclosedContract,
} from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Completion } from '../../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import type { Duration } from '../../../proto/gen/google/protobuf/duration.ts';
import type { LedgerClients } from './clients.ts';
import { LedgerRefusal, refusalOfStatus } from './refusal.ts';
import { completionsIn, readUntil } from './streams.ts';

export interface ChangeOptions {
  readonly actAs: readonly string[];
  readonly readAs?: readonly string[];
  /** The command ID. @default a new one */
  readonly commandId?: string;
  /** The submission ID; with `''` the participant chooses one. @default a new one */
  readonly submissionId?: string;
  readonly userId?: string;
  readonly workflowId?: string;
  readonly deduplication?: { readonly offset: bigint } | { readonly durationMs: number };
  readonly disclosed?: readonly DisclosedContract[];
  readonly synchronizerId?: string;
}

/** Returns a submission whose commands become one transaction. */
export function change(commands: Command | readonly Command[], options: ChangeOptions): Commands {
  return Commands.fromPartial({
    commandId: options.commandId ?? randomUUID(),
    submissionId: options.submissionId ?? randomUUID(),
    userId: options.userId ?? '',
    workflowId: options.workflowId ?? '',
    actAs: [...options.actAs],
    readAs: [...(options.readAs ?? [])],
    commands: 'command' in commands ? [commands] : [...commands],
    disclosedContracts: [...(options.disclosed ?? [])],
    synchronizerId: options.synchronizerId ?? '',
    deduplicationPeriod: deduplicationPeriod(options.deduplication),
  });
}

/** Returns a function that makes submissions which act as one party. */
export const actingAs =
  (party: string) =>
  (commands: Command | readonly Command[]): Commands =>
    change(commands, { actAs: [party] });

function deduplicationPeriod(
  period: ChangeOptions['deduplication'],
): Commands['deduplicationPeriod'] {
  if (period === undefined) return undefined;
  return 'offset' in period
    ? { $case: 'deduplicationOffset', value: period.offset }
    : { $case: 'deduplicationDuration', value: duration(period.durationMs) };
}

const duration = (ms: number): Duration => ({
  seconds: BigInt(Math.trunc(ms / 1_000)),
  nanos: (ms % 1_000) * 1e6,
});

/** Returns a submission of the same change: with the same command ID and a new submission ID. */
export const again = (commands: Commands, changes: Partial<Commands> = {}): Commands => ({
  ...commands,
  submissionId: randomUUID(),
  ...changes,
});

/** The outcome of a submission and, if it was refused, where the refusal came from. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly offset: bigint; readonly updateId: string }
  | {
      readonly kind: 'refused';
      /** Whether the call itself refused the submission, or a later completion. */
      readonly by: 'call' | 'completion';
      readonly refusal: LedgerRefusal;
    };

/** One of the three ways to submit a command. */
export interface Route {
  readonly name: string;
  submit(clients: LedgerClients, commands: Commands): Promise<Outcome>;
}

async function outcomeOf(call: Promise<Outcome>): Promise<Outcome> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof LedgerRefusal) return { kind: 'refused', by: 'call', refusal: error };
    throw error;
  }
}

export const SUBMIT: Route = {
  name: 'Submit',
  submit: (clients, commands) =>
    outcomeOf(
      submitForCompletion(clients, commands).then((completion): Outcome => {
        const { status, offset, updateId } = completion;
        return status!.code === 0
          ? { kind: 'accepted', offset, updateId }
          : { kind: 'refused', by: 'completion', refusal: refusalOfStatus(status!) };
      }),
    ),
};

export const SUBMIT_AND_WAIT: Route = {
  name: 'SubmitAndWait',
  submit: (clients, commands) =>
    outcomeOf(
      clients.commands.submitAndWait({ commands }).then(({ updateId, completionOffset }) => ({
        kind: 'accepted',
        offset: completionOffset,
        updateId,
      })),
    ),
};

export const SUBMIT_AND_WAIT_FOR_TRANSACTION: Route = {
  name: 'SubmitAndWaitForTransaction',
  submit: (clients, commands) =>
    outcomeOf(
      clients.commands.submitAndWaitForTransaction({ commands }).then(({ transaction }) => ({
        kind: 'accepted',
        offset: transaction!.offset,
        updateId: transaction!.updateId,
      })),
    ),
};

export const ROUTES: readonly Route[] = [SUBMIT, SUBMIT_AND_WAIT, SUBMIT_AND_WAIT_FOR_TRANSACTION];

/** Submits a command through the submission service and reads its completion from the stream. */
export async function submitForCompletion(
  clients: LedgerClients,
  commands: Commands,
): Promise<Completion> {
  const begin = await ledgerEnd(clients);
  await clients.submission.submit({ commands });
  return completionOf(clients, commands, begin);
}

/** Returns the completion of one submission, by its submission ID. */
export async function completionOf(
  clients: LedgerClients,
  { actAs, submissionId }: Pick<Commands, 'actAs' | 'submissionId'>,
  beginExclusive: bigint,
): Promise<Completion> {
  const isOurs = (completion: Completion) => completion.submissionId === submissionId;
  const seen = await readUntil(
    (options) => clients.completions.completionStream({ parties: actAs, beginExclusive }, options),
    (responses) => completionsIn(responses).some(isOurs),
  );
  return completionsIn(seen).find(isOurs)!;
}

export async function ledgerEnd(clients: LedgerClients): Promise<bigint> {
  const { offset } = await clients.state.getLedgerEnd({});
  return offset;
}
