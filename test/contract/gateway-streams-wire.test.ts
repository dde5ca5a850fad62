import { Status as GrpcStatus } from 'nice-grpc';
import type { CallContext } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CompletionStreamRequest } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type {
  GetUpdatesRequest,
  GetUpdatesResponse,
} from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { LedgerStreams } from '../../src/app/ports/ledger.ts';
import type { ParticipantName, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LICENSE } from '../../src/domain/licensing.ts';
import { allowPlaintext, openParticipant } from '../../src/ledger/channel.ts';
import type { TokenAnswer } from '../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../src/ledger/channel.ts';
import type { LedgerRights, ParticipantRights } from '../../src/ledger/rights.ts';
import { createLedgerStreams, StreamEnded } from '../../src/ledger/streams.ts';
import type { StreamsOptions } from '../../src/ledger/streams.ts';
import { redacted, refuse, ScriptedParticipant, tokenOf } from './kit/scripted-participant.ts';

const NAME = trusted<ParticipantName>('app-provider');
const PROVIDER = trusted<Party>('provider::1220ab');
const LATER = trusted<Party>('later::1220cd');
const never = new AbortController().signal;

let peer: ScriptedParticipant;
let participant: Participant;
let renewed: string[];
let actAs: readonly Party[];

beforeEach(async () => {
  peer = await ScriptedParticipant.start();
  renewed = [];
  actAs = [PROVIDER];
  const token = (n: number): Promise<TokenAnswer> =>
    Promise.resolve({ kind: 'token', token: `token-${n}` });
  participant = openParticipant({
    name: NAME,
    address: peer.address,
    tokens: {
      current: () => token(renewed.length + 1),
      renew: (rejected) => token(renewed.push(rejected) + 1),
    },
    [allowPlaintext]: true,
  });
});
afterEach(async () => {
  participant.close();
  await peer[Symbol.asyncDispose]();
});

const rightsNow = (): ParticipantRights => ({ ledgerUser: 'backend', actAs, readAs: actAs });
const rights: LedgerRights = { of: rightsNow, refresh: () => Promise.resolve(rightsNow()) };

const streams = (more: Partial<StreamsOptions> = {}): LedgerStreams =>
  createLedgerStreams({
    participants: [participant],
    projected: NAME,
    readAs: [PROVIDER],
    wanted: { templates: [LICENSE], interfaces: [] },
    rights,
    ...more,
  });

const checkpoint = (offset: bigint, seconds: readonly bigint[] = [offset]): GetUpdatesResponse => ({
  update: {
    $case: 'offsetCheckpoint',
    value: {
      offset,
      synchronizerTimes: seconds.map((second) => ({
        synchronizerId: `s${second}`,
        recordTime: { seconds: second, nanos: 0 },
      })),
    },
  },
});

/** Reads until the stream ends. @returns its elements, and how the stream ended */
async function drained<T>(
  stream: AsyncIterable<T>,
  onElement: (n: number) => void = () => undefined,
): Promise<{ elements: T[]; ended: unknown }> {
  const elements: T[] = [];
  try {
    for await (const element of stream) onElement(elements.push(element));
    return { elements, ended: null };
  } catch (ended) {
    return { elements, ended };
  }
}

describe('a stream that ends', () => {
  test.each([
    ['ACCESS_TOKEN_EXPIRED', 'now'],
    ['STALE_STREAM_AUTHORIZATION', 'now'],
    ['PARTICIPANT_OVERLOADED', 'backoff'],
    ['SERVICE_NOT_RUNNING', 'backoff'],
    ['NEVER_HEARD_OF', 'backoff'],
    ['OFFSET_AFTER_LEDGER_END', 'person'],
    ['PARTICIPANT_PRUNED_DATA_ACCESSED', 'person'],
  ])('with %s says to open it again: %s', async (code, retry) => {
    peer.script.updates = async function* updates(_request, context) {
      yield checkpoint(3n);
      refuse(context, code, { metadata: { earliest_offset: '42' } });
    };
    const { elements, ended } = await drained(streams().updates(2n, never));
    expect(elements).toEqual([
      {
        kind: 'position',
        offset: 3n,
        recordTime: '1970-01-01T00:00:03Z',
        times: new Map([['s3', '1970-01-01T00:00:03Z']]),
      },
    ]);
    expect(ended).toBeInstanceOf(StreamEnded);
    expect(ended).toMatchObject({ code, retry, earliestOffset: 42n });
  });

  test('because the participant closed it is news', async () => {
    peer.script.updates = async function* updates() {
      yield checkpoint(3n);
    };
    const { ended } = await drained(streams().updates(2n, never));
    expect(ended).toMatchObject({ code: 'ENDED_BY_PARTICIPANT', retry: 'now' });
  });

  test('because the participant crashed can be opened again later', async () => {
    peer.script.updates = async function* updates() {
      yield checkpoint(3n);
      await new Promise(() => undefined);
    };
    const { elements, ended } = await drained(streams().updates(2n, never), () => peer.crash());
    expect(elements).toHaveLength(1);
    expect(ended).toMatchObject({ name: 'StreamEnded', retry: 'backoff' });
  });

  test('because there is no connection costs nothing to open again', async () => {
    peer.script.updates = async function* updates() {
      yield checkpoint(3n);
    };
    await drained(streams().updates(2n, never));
    await peer[Symbol.asyncDispose]();
    const ended = async () => (await drained(streams().updates(2n, never))).ended;
    await expect.poll(ended).toMatchObject({ code: 'NO_ERROR_INFO:UNAVAILABLE', retry: 'away' });
  });

  test('because its reader has had enough ends without an error', async () => {
    const reader = new AbortController();
    peer.script.updates = async function* updates(_request, { signal }) {
      yield checkpoint(3n);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
    };
    const elements = [];
    for await (const element of streams().updates(2n, reader.signal)) {
      elements.push(element);
      reader.abort();
    }
    expect(elements).toHaveLength(1);
    expect(await drained(streams().updates(2n, reader.signal))).toEqual({
      elements: [],
      ended: null,
    });
  });

  test('that holds what cannot be read says what, and needs a person', async () => {
    peer.script.updates = async function* updates() {
      yield {
        update: {
          $case: 'transaction',
          value: {
            offset: 3n,
            updateId: 'u-3',
            effectiveAt: { seconds: 1n, nanos: 0 },
            recordTime: { seconds: 1n, nanos: 0 },
            events: [{ event: undefined }],
          },
        },
      } as never;
    };
    const { ended } = await drained(streams().updates(2n, never));
    expect(ended).toBeInstanceOf(StreamEnded);
    expect(ended).toMatchObject({
      code: 'UNREADABLE_ELEMENT',
      retry: 'person',
      message: expect.stringContaining('update u-3 at offset 3: an event of kind unknown'),
    });
  });
});

describe('a token that is not accepted', () => {
  test('is renewed once before a stream has delivered anything', async () => {
    peer.script.updates = async function* updates(_request, context) {
      if (tokenOf(context) === 'token-1') redacted(GrpcStatus.UNAUTHENTICATED);
      yield checkpoint(3n);
    };
    const { elements } = await drained(streams().updates(2n, never));
    expect(elements).toHaveLength(1);
    expect(renewed).toEqual(['token-1']);
  });

  test('ends a stream that has: it would begin again', async () => {
    let opened = 0;
    peer.script.updates = async function* updates() {
      opened += 1;
      yield checkpoint(3n);
      redacted(GrpcStatus.UNAUTHENTICATED);
    };
    const { elements, ended } = await drained(streams().updates(2n, never));
    expect(elements).toHaveLength(1);
    expect(ended).toMatchObject({ code: 'NO_ERROR_INFO:UNAUTHENTICATED' });
    expect(opened).toBe(1);
  });
});

describe('updates', () => {
  const requests: GetUpdatesRequest[] = [];
  const answer = (...elements: GetUpdatesResponse[]) =>
    async function* updates(request: GetUpdatesRequest, _context: CallContext) {
      requests.push(request);
      yield* elements;
    };

  test('are asked for as ledger effects with labels, of known templates, for the reading parties', async () => {
    requests.length = 0;
    peer.script.updates = answer();
    await drained(streams().updates(7n, never));
    const [request] = requests;
    expect(request).toMatchObject({ beginExclusive: 7n, endInclusive: undefined });
    expect(request?.updateFormat?.includeTransactions?.transactionShape).toBe(2);
    const format = request?.updateFormat?.includeTransactions?.eventFormat;
    expect(format).toMatchObject({ verbose: true, filtersForAnyParty: undefined });
    expect(Object.keys(format?.filtersByParty ?? {})).toEqual([PROVIDER]);
    expect(
      format?.filtersByParty[PROVIDER]?.cumulative.map((filter) => filter.identifierFilter),
    ).toMatchObject([
      {
        $case: 'templateFilter',
        value: {
          templateId: {
            packageId: '#quickstart-licensing',
            moduleName: 'Licensing.License',
            entityName: 'License',
          },
        },
      },
    ]);
  });

  test('are never asked for without a template, which would mean all of them', async () => {
    requests.length = 0;
    peer.script.updates = answer();
    const { ended } = await drained(
      streams({ wanted: { templates: [], interfaces: [] } }).updates(7n, never),
    );
    expect(ended).toMatchObject({ code: 'NO_TEMPLATES', retry: 'person' });
    expect(requests).toEqual([]);
  });

  test('of a kind that did not exist when this was written are not passed over', async () => {
    peer.script.updates = answer(checkpoint(8n), { update: undefined }, checkpoint(10n));
    const { elements, ended } = await drained(streams().updates(7n, never));
    expect(elements).toHaveLength(1);
    expect(ended).toMatchObject({ code: 'UNREADABLE_ELEMENT', retry: 'person' });
  });

  test('of other kinds are positions', async () => {
    peer.script.updates = answer(
      { update: { $case: 'topologyTransaction', value: { offset: 9n } as never } },
      checkpoint(10n, [30n, 20n, 40n]),
      checkpoint(11n, []),
    );
    const { elements } = await drained(streams().updates(7n, never));
    expect(elements).toEqual([
      { kind: 'position', offset: 9n, recordTime: null, times: new Map() },
      {
        kind: 'position',
        offset: 10n,
        recordTime: '1970-01-01T00:00:20Z',
        times: new Map([
          ['s20', '1970-01-01T00:00:20Z'],
          ['s30', '1970-01-01T00:00:30Z'],
          ['s40', '1970-01-01T00:00:40Z'],
        ]),
      },
      { kind: 'position', offset: 11n, recordTime: null, times: new Map() },
    ]);
  });
});

describe('completions', () => {
  const position = (offset: bigint) => ({
    completionResponse: {
      $case: 'offsetCheckpoint' as const,
      value: { offset, synchronizerTimes: [] },
    },
  });

  test('are those of our ledger user for the parties that it acts as', async () => {
    const requests: CompletionStreamRequest[] = [];
    peer.script.completions = async function* completions(request) {
      requests.push(request);
      yield position(5n);
    };
    const { elements } = await drained(streams().completions(NAME, 4n, never));
    expect(requests).toEqual([{ userId: 'backend', parties: [PROVIDER], beginExclusive: 4n }]);
    expect(elements).toEqual([
      { kind: 'position', participant: NAME, offset: 5n, times: new Map() },
    ]);
  });

  test('say what became of a submission', async () => {
    const completion = (status: object, updateId: string) => ({
      completionResponse: {
        $case: 'completion' as const,
        value: {
          commandId: 'c',
          submissionId: 's',
          userId: 'backend',
          actAs: [PROVIDER],
          offset: 6n,
          updateId,
          status,
        } as never,
      },
    });
    peer.script.completions = async function* completions() {
      yield completion({ code: 0, message: '', details: [] }, 'u-1');
      yield completion({ code: 10, message: 'timed out', details: [] }, '');
    };
    const { elements } = await drained(streams().completions(NAME, 4n, never));
    expect(elements).toMatchObject([
      { kind: 'completion', submissionId: 's', updateId: 'u-1', answer: null, offset: 6n },
      { kind: 'completion', updateId: null, answer: { class: 'unknown', text: 'timed out' } },
    ]);
  });

  test('end when the parties change, so that none is left unheard', async () => {
    peer.script.completions = async function* completions() {
      yield position(5n);
      yield position(6n);
      await new Promise(() => undefined);
    };
    const { elements, ended } = await drained(streams().completions(NAME, 4n, never), (n) => {
      if (n === 2) actAs = [PROVIDER, LATER];
    });
    expect(elements).toHaveLength(2);
    expect(ended).toMatchObject({ code: 'RIGHTS_CHANGED', retry: 'now' });
  });

  test('cannot be followed for nobody', async () => {
    actAs = [];
    const { ended } = await drained(streams().completions(NAME, 4n, never));
    expect(ended).toMatchObject({ code: 'NO_RIGHTS', retry: 'person' });
  });
});
