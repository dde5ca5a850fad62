import type { FastifyRequest } from 'fastify';
import type { ConfirmedPolicy } from '../../../app/desk/change-policy.ts';
import { changePolicy, expiryKind, renewalKind } from '../../../app/desk/change-policy.ts';
import type { Timer, TimerKey, TimerView } from '../../../app/ports/policies.ts';
import type { PolicyName } from '../../../domain/automatic.ts';
import type { ExpiryPolicy, LifecycleHold } from '../../../domain/expiry-policy.ts';
import { expiryVerdict, holdOf } from '../../../domain/expiry-policy.ts';
import type { Json, JsonRecord } from '../../../domain/json.ts';
import type { LedgerTimes } from '../../../domain/time.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail, failVersion } from '../../../domain/problems.ts';
import type { RenewalPolicy } from '../../../domain/renewal-policy.ts';
import { isoToMs } from '../../../domain/time.ts';
import { readTimerCursor, timerKeyOf } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { invalid } from '../../kit/invalid.ts';
import type { Members } from '../../kit/filter-query.ts';
import { sortOf } from '../../kit/filter-query.ts';
import type { Asked } from '../../kit/paged-list.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import {
  ExpiryPolicyBody,
  ExpiryPolicyProposal,
  RenewalPolicyBody,
  RenewalPolicyProposal,
  readExpiryPolicy,
  readRenewalPolicy,
} from './policy-bodies.ts';
import type { PolicyRoute } from './policy-bodies.ts';
import { registerPolicyDelay } from './policy-delay.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { oneOrKnown, one } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { PolicyHeaders } from '../../schemas.ts';

const TAG = 'policies';

interface PreviewedTimer {
  readonly timer: TimerView;
  readonly body: JsonRecord;
}

async function requireProvider(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('provider')) return;
  fail('FORBIDDEN', 'only the provider has policies');
}

const expiryBody = ({ graceMs: _derived, ...policy }: ExpiryPolicy): JsonRecord => ({
  ...policy,
  quietHours: policy.quietHours as unknown as Json,
});

const renewalBody = (policy: RenewalPolicy): JsonRecord => ({ ...policy });

interface PolicySetBody {
  readonly confirmation?: ConfirmedPolicy;
  readonly version?: number;
}

/**
 * Returns the versions that the request accepts, from the header or the body.
 *
 * @throws ProblemError `REQUEST_INVALID` if the header and the body contradict each other
 */
function askedVersions(
  header: readonly number[] | undefined,
  body: number | undefined,
): readonly number[] | undefined {
  if (body === undefined) return header;
  if (header === undefined || header.includes(body)) return [body];
  return invalid('version', 'must be a version that If-Match names');
}

/** Returns the status of a missing confirmation. A renewal policy needs no confirmation, because it ends no licence. */
const ofEnds = (name: PolicyName): readonly 428[] => (name === 'expiry' ? [428] : []);

function registerPolicy<Policy extends object>(
  app: HttpApp,
  deps: HttpDeps,
  of: PolicyRoute<Policy>,
): void {
  const { kind, schema } = of;
  const path = `/policies/${kind.name}`;
  route(app, 'GET', path, {
    operationId: `get${schema}`,
    summary: `Read the ${kind.name} policy of the provider; off until it is set`,
    tag: TAG,
    reply: { ...oneOrKnown(schema, 'The policy') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      const { policy, version } = await kind.get(callerOf(request), readIo(reply));
      return reply.header('etag', entityTag(version)).send({ ...of.shown(policy), version });
    },
  });
  route(app, 'PUT', path, {
    operationId: `set${schema}`,
    summary: `Replace the complete ${kind.name} policy`,
    description:
      'A policy that can end an existing licence which the policy before it could not end needs `confirmation`: the token and the count of a preview, and a reason. A confirmed policy waits before it ends the first licence, and can be undone until then.',
    tag: TAG,
    headers: PolicyHeaders,
    body: of.body,
    reply: { 200: one(schema, 'The policy as it is now') },
    problems: [400, 401, 403, 409, 412, 413, 415, ...ofEnds(kind.name), 503],
    handle: async (request, reply) => {
      const policy = of.read(request.body);
      const { confirmation, version: seen } = request.body as PolicySetBody;
      const ifVersions = askedVersions(readIfMatch(request.headers['if-match']), seen);
      const asked = { policy, ifVersions, confirmation };
      const io = readIo(reply);
      const { isWritten, version } = await changePolicy(deps, kind, callerOf(request), asked, io);
      if (!isWritten) failVersion('policy', version, ifVersions ?? []);
      return reply.header('etag', entityTag(version)).send({ ...of.shown(policy), version });
    },
  });
}

/** Returns the licence or renewal of a timer, for answers. */
export const timerOf = (timer: TimerView): JsonRecord => ({
  lifecycleId: timer.lifecycleId,
  contractId: timer.contractId,
  user: timer.appUser,
  licenseNum: Number(timer.licenseNum ?? 0n),
});

const asLapsing = ({ lapsesAt, isNeverRenewed, openUntil }: Timer, hold?: LifecycleHold) => ({
  hold,
  expiresAtMs: isoToMs(lapsesAt),
  isNeverRenewed,
  openUntilMs: openUntil === null ? null : isoToMs(openUntil),
});

const iso = (ms: number): string => new Date(ms).toISOString();

/** Returns the policy's verdict on one licence, whether or not the policy is on. */
function previewOf(
  timer: TimerView,
  policy: ExpiryPolicy,
  times: LedgerTimes,
  held: JsonRecord,
  hold: LifecycleHold | undefined,
) {
  const verdict = expiryVerdict(asLapsing(timer, hold), policy, times);
  const at =
    verdict.kind === 'due' ? verdict.sinceMs : verdict.kind === 'later' ? verdict.atMs : null;
  const why =
    verdict.kind !== 'due'
      ? verdict.why
      : timer.isGivenUp
        ? 'the licence is due, but its timer was given up after failures'
        : timer.changeId === null
          ? 'the licence has expired'
          : 'the expiry is in progress';
  return {
    ...timerOf(timer),
    expiresAt: timer.lapsesAt,
    verdict: verdict.kind,
    ...(at === null ? {} : { at: iso(at) }),
    why,
    ...held,
  };
}

/** Returns the timers of one page, each with the policy's verdict. */
async function previewsOf(
  deps: HttpDeps,
  { request, page, io }: Omit<Asked<Members, TimerKey>, 'filter'>,
): Promise<readonly PreviewedTimer[]> {
  const { party } = callerOf(request);
  await deps.ledgerClock
    .refresh({ signal: io.signal, deadlineMs: LIMITS.ledgerTimeReadMs })
    .catch(() => undefined);
  const [{ policy, startsInMs }, found] = await Promise.all([
    deps.policies.expiry(party, io),
    deps.timers.page({ party, kind: 'expire', ...page }, io),
  ]);
  const holds = await deps.policies.holds(
    found.map(({ lifecycleId }) => lifecycleId),
    io,
  );
  const hold = holdOf(policy, deps.wallClock.nowMs());
  const isWaiting = startsInMs !== null && startsInMs > 0;
  const held = isWaiting ? { heldBy: 'start' } : hold === null ? {} : { heldBy: hold.why };
  const { ledgerClock } = deps;
  const times = { nowMs: ledgerClock.nowMs(), certainMs: ledgerClock.certainMs() };
  return found.map((timer) => ({
    timer,
    body: previewOf(timer, policy, times, held, holds.get(timer.lifecycleId)),
  }));
}

const registerPreview = (app: HttpApp, deps: HttpDeps): void =>
  registerPagedList(app, deps, {
    path: '/policies/expiry/preview',
    tag: TAG,
    operationId: 'previewExpiry',
    summary: 'Preview the expiry policy: which licences it would end, when and why, and which not',
    description: 'Judges every active licence of the provider by the current policy, in any mode.',
    inOrder: 'Ordered by expiresAt, oldest first',
    entry: 'ExpiryPreview',
    filter: { sort: sortOf('expiresAt') },
    pageSize: LIMITS.pageSizeMax,
    readKey: readTimerCursor,
    keyOf: ({ timer }: PreviewedTimer) => timerKeyOf(timer),
    bodyOf: ({ body }: PreviewedTimer) => body,
    find: (asked) => previewsOf(deps, asked),
  });

/** Registers the routes of a provider's policies. */
export async function registerPolicies(app: HttpApp, deps: HttpDeps): Promise<void> {
  const expiry: PolicyRoute<ExpiryPolicy> = {
    kind: expiryKind(deps.policies),
    schema: 'ExpiryPolicy',
    body: ExpiryPolicyBody,
    proposal: ExpiryPolicyProposal,
    read: (body) => readExpiryPolicy(body as ExpiryPolicyProposal),
    shown: expiryBody,
  };
  const renewal: PolicyRoute<RenewalPolicy> = {
    kind: renewalKind(deps.policies),
    schema: 'RenewalPolicy',
    body: RenewalPolicyBody,
    proposal: RenewalPolicyProposal,
    read: (body) => readRenewalPolicy(body as RenewalPolicyProposal),
    shown: renewalBody,
  };
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'policy');
    own.addHook('onRequest', requireProvider);
    registerPolicy(own, deps, expiry);
    registerPolicy(own, deps, renewal);
    registerPolicyDelay(own, deps, expiry);
    registerPolicyDelay(own, deps, renewal);
    registerPreview(own, deps);
  });
}
