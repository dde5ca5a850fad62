import type { TSchema } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyState } from '../../../app/ports/validation.ts';
import { hashOfKey } from '../../../domain/license-key.ts';
import type { LicenseFacts } from '../../../domain/license-validation.ts';
import { judgeLicense, seatlessSince } from '../../../domain/license-validation.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { isoAfter } from '../../../domain/time.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { requireAcceptable } from '../../kit/caller.ts';
import { acceptJsonBodies } from '../../kit/json-body.ts';
import { requireLicenseKey, withKey } from '../../kit/license-keys.ts';
import type { CallerLimits } from '../../kit/rate-limits.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { lastingIo } from '../../kit/request-context.ts';
import type { ProblemStatus, Responses } from '../../kit/responses.ts';
import { plain, problems } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { sendRefusal, sendVerdict } from './answer.ts';
import { ActivationBody, MachineBody, QuestionBody } from './validation-schemas.ts';
import { questionIn } from './question.ts';

const TAG = 'validation';
const KEY_ONLY = [{ licenseKey: [] }];

interface Found {
  readonly facts: LicenseFacts;
  readonly key: KeyState;
}

const findByKey = (
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  fingerprint: string | null,
): Promise<Found | null> =>
  withKey(request, reply, (key, io) => {
    const at = isoAfter(deps.ledgerClock.nowMs());
    return deps.validation.reads.byKey(hashOfKey(key), fingerprint, at, io);
  });

/** Answers a program's question about the licence of its key. */
async function answerByKey(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  act: (found: Found, nowMs: number) => Promise<boolean> = async () => false,
): Promise<FastifyReply> {
  const question = questionIn(request.body as QuestionBody);
  const nowMs = deps.ledgerClock.nowMs();
  const found = await findByKey(deps, request, reply, question.fingerprint);
  if (found === null) return sendRefusal(reply, 'UNKNOWN_KEY', nowMs);
  if (found.key.isRevoked) return sendRefusal(reply, 'KEY_REVOKED', nowMs);
  const hasChanged = await act(found, nowMs);
  if (!hasChanged) return sendVerdict(reply, found.facts, question, nowMs);
  const now = await findByKey(deps, request, reply, question.fingerprint);
  return sendVerdict(reply, now?.facts ?? found.facts, question, nowMs);
}

/** Gives a machine a seat if its licence is valid. */
async function activate(
  deps: HttpDeps,
  request: FastifyRequest,
  { facts, key }: Found,
  nowMs: number,
): Promise<boolean> {
  const { machine, name, entitlements = [] } = request.body as ActivationBody;
  if (!judgeLicense(facts, { fingerprint: null, entitlements }, nowMs).valid) return false;
  const activation = {
    licenseId: facts.lifecycleId,
    fingerprint: machine,
    name: name ?? machine,
    keyId: key.id,
    seats: Math.min(facts.terms.seats ?? Infinity, LIMITS.licenseMachinesMax),
    at: isoAfter(nowMs),
    staleAt: seatlessSince(facts.terms, nowMs),
  };
  await deps.validation.machines.activate(activation, lastingIo(request));
  return true;
}

/** The problems of a route for keys. 403 is not among them, because a key has no permissions that it could lack. */
function keyProblems(...statuses: readonly ProblemStatus[]): Responses {
  const { 403: _none, ...declared } = problems(...statuses);
  return declared;
}

const callOf = <Body extends TSchema>(operationId: string, summary: string, body: Body) => ({
  operationId,
  summary,
  tag: TAG,
  security: KEY_ONLY,
  body,
  bodyLimit: HTTP_LIMITS.keyBodyBytesMax,
  reply: {
    200: plain('Validation', 'The verdict, also where the licence is not valid'),
    ...keyProblems(400, 401, 413, 415, 503),
  },
});

function registerValidate(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', '/licenses/validate', {
    ...callOf('validateLicenseKey', 'Whether the licence of a key is valid', QuestionBody),
    needsBody: false,
    harmless: 'a question changes nothing',
    handle: async (request, reply) => answerByKey(deps, request, reply),
  });
}

function registerSeats(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', '/licenses/activate', {
    ...callOf('activateMachine', 'Give a machine a seat of the licence', ActivationBody),
    harmless: 'a machine has one seat',
    handle: async (request, reply) =>
      answerByKey(deps, request, reply, (found, nowMs) => activate(deps, request, found, nowMs)),
  });
  route(app, 'POST', '/licenses/heartbeat', {
    ...callOf('beatMachine', 'Keep the seat of a machine', MachineBody),
    harmless: 'a machine has one seat',
    handle: async (request, reply) =>
      answerByKey(deps, request, reply, async ({ facts }, nowMs) => {
        const { machine: fingerprint } = request.body;
        const at = isoAfter(nowMs);
        const beat = {
          licenseId: facts.lifecycleId,
          fingerprint,
          at,
          staleAt: seatlessSince(facts.terms, nowMs),
        };
        return (await deps.validation.machines.heartbeat(beat, lastingIo(request))) !== null;
      }),
  });
}

function registerRelease(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', '/licenses/release', {
    ...callOf('releaseMachine', 'Free the seat of a machine', MachineBody),
    reply: {
      204: { description: 'The machine holds no seat', type: 'null' },
      ...keyProblems(400, 401, 413, 415, 503),
    },
    produces: null,
    harmless: 'a machine without a seat stays without one',
    handle: async (request, reply) => {
      const { machine } = request.body;
      const found = await findByKey(deps, request, reply, machine);
      if (found === null || found.key.isRevoked) return fail('UNAUTHENTICATED', 'Unauthorized');
      const { lifecycleId } = found.facts;
      await deps.validation.machines.release(lifecycleId, machine, lastingIo(request));
      return reply.code(204).send();
    },
  });
}

/** Registers the calls of programs that have a licence key. They concern only the licence of that key. */
export function registerKeyCalls(app: HttpApp, deps: HttpDeps, limits: CallerLimits): void {
  requireLicenseKey(app, deps, limits, (request, reply) => {
    // A verdict needs a route whose answers have content. A 401 is audited like all others.
    if (request.routeOptions.config.produces === null) fail('UNAUTHENTICATED', 'Unauthorized');
    const reason = 'the licence key is unknown';
    deps.refusals?.note({ act: 'sign-in-refused', by: null, object: 'license-key', reason });
    return sendRefusal(reply, 'UNKNOWN_KEY', deps.ledgerClock.nowMs());
  });
  limits.apply(app);
  app.addHook('onRequest', async (request) => requireAcceptable(request));
  acceptJsonBodies(app);
  registerValidate(app, deps);
  registerSeats(app, deps);
  registerRelease(app, deps);
}
