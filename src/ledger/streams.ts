import type { Io } from '../app/ports/io.ts';
import type { LedgerStreams } from '../app/ports/ledger.ts';
import type { StreamRetry } from '../app/ports/streams.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { changeOfWorkflow } from '../domain/ids.ts';
import type { CompletionElement, LedgerTransaction } from '../domain/ledger.ts';
import { templateFqn } from '../domain/ledger.ts';
import { CODES } from '../domain/ledger-codes.ts';
import type { Participant } from './channel.ts';
import { byName } from './channel.ts';
import { DecodeError } from './decode.ts';
import type { Wanted } from './formats.ts';
import { eventFormat, updateFormat, wildcard } from './formats.ts';
import { classify, LedgerCallError } from './outcome.ts';
import type { LedgerRights, ParticipantRights } from './rights.ts';
import { readActiveContract, readCompletionElement, readUpdate } from './stream-elements.ts';
import { LEDGER_LIMITS } from './limits.ts';

/** Thrown when a stream ends that its reader did not end. Delivered elements stay valid: reading resumes after them. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
  /**
   * The ledger's error code, or `ENDED_BY_PARTICIPANT`, `RIGHTS_CHANGED`, `NO_RIGHTS`, `NO_TEMPLATES`,
   * `UNREADABLE_ELEMENT`.
   */
  readonly code: string;
  readonly retry: StreamRetry;
  /** With `PARTICIPANT_PRUNED_DATA_ACCESSED`: the smallest offset after which the stream can still be resumed. */
  readonly earliestOffset: bigint | null;
  constructor(
    code: string,
    message: string,
    more: {
      readonly retry: StreamRetry;
      readonly earliestOffset?: bigint | null;
      readonly cause?: unknown;
    },
  ) {
    super(`${code}: ${message}`, { cause: more.cause });
    this.code = code;
    this.retry = more.retry;
    this.earliestOffset = more.earliestOffset ?? null;
  }
}

/** Codes that are not retried with a backoff. */
const RETRY_BY_CODE: Readonly<Record<string, StreamRetry>> = {
  ACCESS_TOKEN_EXPIRED: 'now',
  STALE_STREAM_AUTHORIZATION: 'now',
  // The participant's ledger ends before our cursor: it was restored from a backup, or has another ledger.
  OFFSET_AFTER_LEDGER_END: 'person',
  [CODES.pruned]: 'person',
  'NO_ERROR_INFO:PERMISSION_DENIED': 'person',
  PERMISSION_DENIED: 'person',
  INVALID_ARGUMENT: 'person',
  INVALID_FIELD: 'person',
  MISSING_FIELD: 'person',
};

export interface StreamsOptions {
  readonly participants: readonly Participant[];
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  /** The parties whose updates and contracts are read on the projected participant. */
  readonly readAs: readonly Party[];
  /** The types that the projected participant knows: it refuses filters with unknown types. */
  readonly wanted: Wanted;
  readonly rights: LedgerRights;
}

/**
 * Creates the participants' streams. Each stream ends without an error if its signal fires, and otherwise with a {@link
 * StreamEnded}.
 */
export function createLedgerStreams(options: StreamsOptions): LedgerStreams {
  const { projected, readAs, wanted } = options;
  const participantOf = byName(options.participants);
  return {
    participants: options.participants.map(({ name }) => name),
    projected,
    readAs,
    updates: (afterOffset, signal) =>
      tailing(signal, () => {
        requireTemplates(wanted);
        const format = updateFormat(readAs, wanted);
        const request = { beginExclusive: afterOffset, updateFormat: format };
        return mapped(participantOf(projected).update.getUpdates(request, { signal }), (message) =>
          readUpdate(message, wanted.interfaces),
        );
      }),
    completions: (name, afterOffset, signal) =>
      tailing(signal, () =>
        followCompletions(participantOf(name), options.rights, afterOffset, signal),
      ),
    transactionsOf: (name, after, upTo, signal) =>
      translated(signal, () =>
        ownTransactions(participantOf(name), options.rights, { after, upTo }, signal),
      ),
    rightsOn: (name, io) => options.rights.refresh(name, LEDGER_LIMITS.streamRightsAgeMsMax, io),
    types: [...wanted.templates, ...wanted.interfaces].map(templateFqn),
    activeContracts: (atOffset, signal, only) =>
      translated(signal, () => {
        requireTemplates(wanted);
        const format = eventFormat(readAs, only === undefined ? wanted : restricted(wanted, only));
        const request = { activeAtOffset: atOffset, eventFormat: format };
        return mapped(
          participantOf(projected).state.getActiveContracts(request, { signal }),
          (message) => readActiveContract(message, wanted.interfaces),
        );
      }),
  };
}

/**
 * Follows the completions of the parties that we may act as. The filter is fixed when the stream opens, so the stream
 * ends when those parties change: otherwise it would miss the completions of a party that was added.
 */
async function* followCompletions(
  participant: Participant,
  rights: LedgerRights,
  afterOffset: bigint,
  signal: AbortSignal,
): AsyncGenerator<CompletionElement, void, undefined> {
  const io: Io = { signal, deadlineMs: LEDGER_LIMITS.streamRightsMs };
  const opened = await rights.refresh(participant.name, LEDGER_LIMITS.streamRightsAgeMsMax, io);
  if (opened.actAs.length === 0) {
    throw new StreamEnded('NO_RIGHTS', `${opened.ledgerUser} may act as nobody`, {
      retry: 'person',
    });
  }
  const stream = participant.completion.completionStream(
    { userId: opened.ledgerUser, parties: [...opened.actAs], beginExclusive: afterOffset },
    { signal },
  );
  for await (const message of stream) {
    const element = readCompletionElement(participant.name, message);
    yield element;
    if (element.kind === 'completion') continue;
    const now = await rights.refresh(participant.name, LEDGER_LIMITS.streamRightsAgeMsMax, io);
    if (!actsAsTheSame(opened, now)) {
      throw new StreamEnded('RIGHTS_CHANGED', `the parties of ${now.ledgerUser} have changed`, {
        retry: 'now',
      });
    }
  }
}

async function* ownTransactions(
  participant: Participant,
  rights: LedgerRights,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  signal: AbortSignal,
): AsyncGenerator<LedgerTransaction, void, undefined> {
  const io: Io = { signal, deadlineMs: LEDGER_LIMITS.streamRightsMs };
  const { actAs } = await rights.refresh(participant.name, LEDGER_LIMITS.streamRightsAgeMsMax, io);
  // A participant refuses an empty list of parties; the completion stream already reports this case.
  if (actAs.length === 0) return;
  const request = {
    beginExclusive: after,
    endInclusive: upTo,
    // No templates are named, because a participant refuses a filter with an unknown template.
    updateFormat: wildcard([...actAs]),
  };
  for await (const message of participant.update.getUpdates(request, { signal })) {
    // Transactions of other applications are skipped, because they may contain values that Tenure cannot read.
    if (message.update?.$case !== 'transaction') continue;
    if (changeOfWorkflow(message.update.value.workflowId) === null) continue;
    const element = readUpdate(message, []);
    if (element.kind === 'transaction') yield element;
  }
}

const actsAsTheSame = (a: ParticipantRights, b: ParticipantRights): boolean =>
  a.ledgerUser === b.ledgerUser &&
  a.actAs.length === b.actAs.length &&
  a.actAs.every((party) => b.actAs.includes(party));

/** Wraps a stream that has no end: if the participant closes it, that is an error. */
async function* tailing<T>(
  signal: AbortSignal,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  yield* translated(signal, open);
  if (signal.aborted) return;
  throw new StreamEnded('ENDED_BY_PARTICIPANT', 'the participant closed the stream', {
    retry: 'now',
  });
}

async function* translated<T>(
  signal: AbortSignal,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  try {
    if (!signal.aborted) yield* open();
  } catch (error) {
    if (!signal.aborted) throw streamEnded(error);
  }
}

async function* mapped<Message, Element>(
  stream: AsyncIterable<Message>,
  read: (message: Message) => Element,
): AsyncGenerator<Element, void, undefined> {
  for await (const message of stream) yield read(message);
}

/** @throws the error itself if it is not an error of the ledger: a bug is not the end of a stream */
export function streamEnded(error: unknown): StreamEnded {
  if (error instanceof StreamEnded) return error;
  if (error instanceof DecodeError) {
    return new StreamEnded('UNREADABLE_ELEMENT', error.message, { retry: 'person', cause: error });
  }
  const { code, explanation, text } = classify(error);
  const earliest =
    error instanceof LedgerCallError ? error.errorInfo?.metadata['earliest_offset'] : undefined;
  const earliestOffset =
    earliest !== undefined && /^\d{1,19}$/.test(earliest) ? BigInt(earliest) : null;
  const message =
    code === CODES.pruned
      ? `what follows has been pruned up to offset ${earliestOffset ?? 'unknown'}: \`tenure projection rebuild\``
      : `${explanation} (${text})`;
  const retry = RETRY_BY_CODE[code] ?? (error instanceof LedgerCallError ? error.retry : 'backoff');
  return new StreamEnded(code, message, { retry, earliestOffset, cause: error });
}

const restricted = (wanted: Wanted, only: ReadonlySet<string>): Wanted => ({
  templates: wanted.templates.filter((name) => only.has(templateFqn(name))),
  interfaces: wanted.interfaces.filter((name) => only.has(templateFqn(name))),
});

/** Throws if there are no templates, because an empty filter would request everything. */
function requireTemplates({ templates }: Wanted): void {
  if (templates.length > 0) return;
  throw new StreamEnded('NO_TEMPLATES', 'the participant knows none of the licensing templates', {
    retry: 'person',
  });
}
