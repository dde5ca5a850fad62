import type {
  GetUpdateResponse,
  GetUpdatesPageRequest,
  GetUpdatesPageResponse,
  GetUpdatesRequest,
  GetUpdatesResponse,
  UpdateServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { ledgerStringDefect } from '../../ledger/identifiers.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { ParticipantState, PlacedUpdate } from '../../ledger/participant-state.ts';
import {
  checkArgument,
  invalidArgument,
  missingField,
  negativeOffset,
  nonPositiveOffset,
} from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import type { Encoder } from '../encode.ts';
import { readUpdateFormat, requireUpdateFormatRights } from '../formats.ts';
import type { UpdateFormat } from '../formats.ts';
import {
  TOKEN_RULES,
  UPDATES_PAGE_SIZES,
  decodeToken,
  encodeToken,
  fingerprintOf,
  pageSizeOf,
} from '../page-token.ts';
import { between, checkOffsets, checkRange, requireNotAfterEnd, tail } from '../tail.ts';

export interface StreamSettings {
  /** The minimum time between two checkpoints of a stream. */
  readonly checkpointIntervalMs: number;
  /** Returns the participant ID of a party's host. */
  readonly participantIdOf: (name: ParticipantNode['name']) => string;
}

type PlainUpdate = NonNullable<GetUpdateResponse['update']>;

const notFound = (type: 'UPDATE_ID' | 'OFFSET', name: string) =>
  new LedgerError('UPDATE_NOT_FOUND', 'Update not found, or not visible.', {
    resources: [{ type, name }],
  });

const descendingWithoutEnd = () =>
  new LedgerError(
    'DESCENDING_ORDER_MISSING_END',
    'end_inclusive is not provided when descending_order is true',
  );

/** An update ID is a multihash: the prefix for SHA-256, followed by 32 bytes. */
const UPDATE_ID = /^1220[\da-fA-F]{64}$/;

/** Throws MISSING_FIELD, INVALID_ARGUMENT. */
function checkUpdateId(updateId: string): void {
  if (updateId === '') throw missingField('update_id');
  checkArgument(updateId, ledgerStringDefect);
  if (!UPDATE_ID.test(updateId)) {
    throw invalidArgument(`Failed to parse hex string: ${updateId.slice(0, 255)}`);
  }
}

/** Throws NON_POSITIVE_OFFSET, NEGATIVE_OFFSET, OFFSET_AFTER_LEDGER_END, INVALID_ARGUMENT. */
function checkPageOffsets(
  { beginOffsetExclusive: begin, endOffsetInclusive: end }: GetUpdatesPageRequest,
  state: ParticipantState,
): void {
  if (end !== undefined && end <= 0n) throw nonPositiveOffset('endOffsetInclusive', end);
  if (begin !== undefined && begin < 0n) throw negativeOffset('beginOffsetExclusive', begin);
  if (end === undefined) return;
  requireNotAfterEnd('endOffsetInclusive', end, state);
  if (begin === undefined || begin <= end) return;
  throw invalidArgument('beginOffsetExclusive is after endOffsetInclusive');
}

/** Reads the updates of one participant, for readers with the necessary rights. */
class UpdateReads {
  readonly #participant: ParticipantNode;
  readonly #encoder: Encoder;
  readonly #settings: StreamSettings;

  constructor(participant: ParticipantNode, encoder: Encoder, settings: StreamSettings) {
    this.#participant = participant;
    this.#encoder = encoder;
    this.#settings = settings;
  }

  #project({ update, offset }: PlacedUpdate, format: UpdateFormat): PlainUpdate | undefined {
    if (update.kind === 'transaction') {
      if (format.transactions === undefined) return undefined;
      const value = this.#encoder.transaction(update, offset, format.transactions);
      return value.events.length === 0 ? undefined : { $case: 'transaction', value };
    }
    const { topologyParties } = format;
    if (topologyParties === undefined) return undefined;
    if (topologyParties.length > 0 && !topologyParties.includes(update.party)) return undefined;
    const host = this.#settings.participantIdOf(update.host);
    return { $case: 'topologyTransaction', value: this.#encoder.partyAdded(update, offset, host) };
  }

  stream(request: GetUpdatesRequest, { stop, endOfStream }: Call) {
    const { state, registry } = this.#participant;
    const { beginExclusive, endInclusive } = request;
    if (request.descendingOrder && endInclusive === undefined) throw descendingWithoutEnd();
    checkOffsets({ beginExclusive, endInclusive }, state);
    const format = readUpdateFormat(request.updateFormat, registry);
    const project = (placed: PlacedUpdate): GetUpdatesResponse | undefined => {
      const update = this.#project(placed, format);
      return update === undefined ? undefined : { update };
    };
    if (request.descendingOrder && endInclusive !== undefined) {
      checkRange({ beginExclusive, endInclusive }, state);
      return between(
        { state, items: state.updates, project },
        { beginExclusive, endInclusive },
        true,
      );
    }
    return tail<PlacedUpdate, GetUpdatesResponse>({
      state,
      range: { beginExclusive, endInclusive },
      items: state.updates,
      project,
      checkpoint: (reached) => ({
        update: { $case: 'offsetCheckpoint', value: this.#encoder.checkpoint(reached) },
      }),
      checkpointIntervalMs: this.#settings.checkpointIntervalMs,
      stop,
      endOfStream,
    });
  }

  byOffset(offset: bigint, format: UpdateFormat): GetUpdateResponse {
    const { updates } = this.#participant.state;
    const placed = updates.at(updates.indexAfter(offset) - 1);
    const update = placed?.offset === offset ? this.#project(placed, format) : undefined;
    if (update === undefined) throw notFound('OFFSET', offset.toString());
    return { update };
  }

  byId(updateId: string, format: UpdateFormat): GetUpdateResponse {
    const placed = this.#participant.updateById(updateId);
    const update = placed === undefined ? undefined : this.#project(placed, format);
    if (update === undefined) throw notFound('UPDATE_ID', updateId);
    return { update };
  }

  async page(request: GetUpdatesPageRequest): Promise<GetUpdatesPageResponse> {
    const { state, registry } = this.#participant;
    const { pageToken, maxPageSize: _size, ...asked } = request;
    const fingerprint = fingerprintOf(asked);
    const resumed =
      pageToken === undefined
        ? undefined
        : decodeToken(pageToken, fingerprint, TOKEN_RULES.GetUpdatesPage);
    checkPageOffsets(request, state);
    const size = pageSizeOf(request.maxPageSize, UPDATES_PAGE_SIZES);
    const format = readUpdateFormat(request.updateFormat, registry);
    const begin = request.beginOffsetExclusive ?? state.prunedUpTo;
    // If the request has no end, the first page fixes it, so that all pages together read one consistent range.
    const end = resumed?.bound ?? request.endOffsetInclusive ?? state.ledgerEnd;
    const isDescending = request.descendingOrder;
    const range = isDescending
      ? { beginExclusive: begin, endInclusive: resumed?.offset ?? end }
      : { beginExclusive: resumed?.offset ?? begin, endInclusive: end };
    checkRange(range, state);
    const updates: GetUpdateResponse[] = [];
    // The offset up to which updates have been examined, visible or not.
    let reached = isDescending ? range.beginExclusive : range.endInclusive;
    let isFull = false;
    const project = (placed: PlacedUpdate) => {
      const update = this.#project(placed, format);
      return update === undefined ? undefined : { update, offset: placed.offset };
    };
    const source = { state, items: state.updates, project };
    for await (const { update, offset } of between(source, range, isDescending)) {
      if (updates.length === size) {
        isFull = true;
        break;
      }
      updates.push({ update });
      reached = isDescending ? offset - 1n : offset;
    }
    if (!isFull) reached = isDescending ? range.beginExclusive : range.endInclusive;
    return {
      updates,
      lowestPageOffsetExclusive: isDescending ? reached : range.beginExclusive,
      highestPageOffsetInclusive: isDescending ? range.endInclusive : reached,
      ...(isFull
        ? { nextPageToken: encodeToken({ offset: reached, nodeId: 0, bound: end }, fingerprint) }
        : {}),
    };
  }
}

export function updateService(
  participant: ParticipantNode,
  encoder: Encoder,
  settings: StreamSettings,
): UpdateServiceImplementation<Call> {
  const reads = new UpdateReads(participant, encoder, settings);
  return {
    async *getUpdates(request, call) {
      requireUpdateFormatRights(call.access, request.updateFormat);
      yield* reads.stream(request, call);
    },

    async getUpdateByOffset({ offset, updateFormat }, call) {
      requireUpdateFormatRights(call.access, updateFormat);
      if (offset <= 0n) throw nonPositiveOffset('offset', offset);
      return reads.byOffset(offset, readUpdateFormat(updateFormat, participant.registry));
    },

    async getUpdateById({ updateId, updateFormat }, call) {
      requireUpdateFormatRights(call.access, updateFormat);
      checkUpdateId(updateId);
      return reads.byId(updateId, readUpdateFormat(updateFormat, participant.registry));
    },

    async getUpdatesPage(request, call) {
      requireUpdateFormatRights(call.access, request.updateFormat);
      return reads.page(request);
    },
  };
}
