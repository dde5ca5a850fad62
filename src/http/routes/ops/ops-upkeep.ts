import type { StreamPosition } from '../../../app/desk/desk.ts';
import { UPDATES_STREAM, completionsStream } from '../../../app/ports/streams.ts';
import type { LeaseView } from '../../../app/ports/reads.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { ParticipantName } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { isoToMs } from '../../../domain/time.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { requireProvider } from './ops-access.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

const TAG = 'ops';

type End = { readonly offset: bigint } | { readonly reason: string };

/** Returns a ledger end or why it is missing: one unresponsive participant must not fail the whole answer. */
const endOf = ({ gateway }: HttpDeps, participant: ParticipantName, io: Io): Promise<End> =>
  gateway.ledgerEnd(participant, { ...io, deadlineMs: HTTP_LIMITS.readinessMs }).then(
    (offset) => ({ offset }),
    (error: unknown) => ({
      reason: error instanceof Error ? error.message : 'the participant does not answer',
    }),
  );

const COMPLETIONS = completionsStream(trusted<ParticipantName>(''));

const participantOf = (deps: HttpDeps, stream: string): ParticipantName =>
  stream === UPDATES_STREAM
    ? deps.hosting.projected
    : trusted<ParticipantName>(stream.slice(COMPLETIONS.length));

/** Returns the seconds since the newest applied update was recorded; 0 if no update is left to apply. */
function lagSeconds(recordTime: string | null, lag: bigint | null, nowMs: number): number | null {
  if (lag === 0n) return 0;
  return recordTime === null ? null : Math.max(0, (nowMs - isoToMs(recordTime)) / 1_000);
}

function streamBody(
  { stream, offset, oldest, recordTime, lost, held }: StreamPosition,
  participant: ParticipantName,
  end: End,
  nowMs: number,
): JsonRecord {
  // The ledger end is read after the position, so an end below the position belongs to another ledger.
  const lag = 'reason' in end ? null : end.offset > offset ? end.offset - offset : 0n;
  const seconds = lagSeconds(recordTime, lag, nowMs);
  return {
    stream,
    participant,
    offset: Number(offset),
    oldestOffset: Number(oldest),
    ...(recordTime === null ? {} : { recordTime }),
    ...('reason' in end ? { reason: end.reason } : { ledgerEnd: Number(end.offset) }),
    ...(lost === 0
      ? {}
      : {
          reason: `${lost} operations took effect on the ledger but are missing in the database: see tenure doctor`,
        }),
    ...(held === null ? {} : { reason: held }),
    ...(lag === null ? {} : { lagOffsets: Number(lag) }),
    ...(seconds === null ? {} : { lagSeconds: seconds }),
  };
}

/** Returns all streams, each with its lag. The time to read a participant's ledger end is limited. */
export async function streamBodies(deps: HttpDeps, io: Io): Promise<JsonRecord[]> {
  const streams = await deps.desk.upkeep.streams(io);
  const named = streams.map((one) => ({ one, of: participantOf(deps, one.stream) }));
  const ends = new Map(
    await Promise.all(
      [...new Set(named.map(({ of }) => of))].map(
        async (name) => [name, await endOf(deps, name, io)] as const,
      ),
    ),
  );
  const nowMs = deps.wallClock.nowMs();
  return named.map(({ one, of }) =>
    streamBody(one, of, ends.get(of) ?? { reason: 'the participant was not queried' }, nowMs),
  );
}

/** A lease as operators read it. */
export const leaseBody = ({
  name,
  holder,
  epoch,
  expiresAt,
  isHeld,
}: LeaseView & { readonly name: string }): JsonRecord => ({
  name,
  holder,
  epoch: Number(epoch),
  until: expiresAt,
  held: isHeld,
});

function registerStreams(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/ops/streams', {
    operationId: 'listStreams',
    summary: 'List the position and the lag of each stream of the ledger',
    description: 'For operators of the provider.',
    tag: TAG,
    reply: { 200: listOf('OpsStream', 'All of them') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      requireProvider(deps, request);
      return reply.send(await streamBodies(deps, readIo(reply)));
    },
  });
}

function registerLeases(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/ops/leases', {
    operationId: 'listLeases',
    summary: 'List the leases for tasks of a single process, with their holders',
    description: 'For operators of the provider.',
    tag: TAG,
    reply: { 200: listOf('OpsLease', 'All of them') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      requireProvider(deps, request);
      const leases = await deps.desk.upkeep.leases(readIo(reply));
      return reply.send(leases.map(leaseBody));
    },
  });
}

/** Registers the routes for the upkeep of the deployment, which belongs to no tenant. */
export function registerUpkeep(app: HttpApp, deps: HttpDeps): void {
  registerStreams(app, deps);
  registerLeases(app, deps);
}
