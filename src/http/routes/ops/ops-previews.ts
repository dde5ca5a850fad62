import { Type } from '@fastify/type-provider-typebox';
import type { IrreversibleAct } from '../../../app/desk/confirm-act.ts';
import { previewAct } from '../../../app/desk/confirm-act.ts';
import type { DoubtDecision } from '../../../app/desk/decide-doubt.ts';
import { DECISIONS, requireDecider } from '../../../app/desk/decide-doubt.ts';
import type { SeenSynchronizer } from '../../../app/desk/give-up-synchronizer.ts';
import { requireGivable } from '../../../app/desk/give-up-synchronizer.ts';
import type { Change } from '../../../domain/change.ts';
import { fail } from '../../../domain/problems.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import {
  OPS_OPERATIONS,
  OPS_SYNCHRONIZERS,
  actionRoute,
  collectionRoute,
} from '../../kit/address.ts';
import { PREVIEW_ONLY, sendActPreview } from '../../kit/confirmation.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject } from '../../kit/schema.ts';
import { IdParams } from '../../schemas.ts';
import { requireProvider } from './ops-access.ts';
import { changeIn } from './ops-operation.ts';
import type { ParticipantName } from '../../../domain/ids.ts';

/* Previews of operators' irreversible acts. Each has a token that confirms the act. */

const TAG = 'ops';

/** The members of a body that decide about an operation in doubt. */
export const DECISION = {
  decision: Type.Unsafe<DoubtDecision>({ type: 'string', enum: [...DECISIONS] }),
  updateId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: HTTP_LIMITS.updateIdCharsMax,
      description: 'With `took-effect`: the update that it was',
    }),
  ),
};

export interface Decision {
  readonly decision: DoubtDecision;
  readonly updateId?: string;
}

export const decisionAct = ({ id }: Change, { decision, updateId }: Decision): IrreversibleAct => ({
  act: 'decide',
  on: { changeId: id, decision, updateId: updateId ?? null },
});

/** Checks that only a decision for `took-effect` names an update. @throws ProblemError `REQUEST_INVALID` */
export function requireDecision({ decision, updateId }: Decision): void {
  if (updateId === undefined || decision === 'took-effect') return;
  fail('REQUEST_INVALID', 'only the decision took-effect has an update', {
    extra: { field: 'updateId' },
  });
}

const MEANS: Readonly<Record<DoubtDecision, string>> = {
  'took-effect': 'The operation ends as succeeded, and is never submitted again.',
  'no-effect':
    'The operation ends as failed. If the ledger later shows an effect, the decision was wrong.',
  'submit-again':
    'The operation is submitted again. If it has already taken effect, it takes effect twice.',
};

function registerDecision(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_OPERATIONS, 'preview-decide'), {
    operationId: 'previewDecideOpsOperation',
    summary: 'Preview a decision about an operation in doubt',
    description: 'Changes nothing. The token permits one `:decide` with the same values.',
    tag: TAG,
    params: IdParams,
    body: closedObject(DECISION),
    reply: { 200: plain('ActPreview', 'The effects of the action') },
    problems: [400, 401, 403, 404, 409, 413, 415, 503],
    harmless: PREVIEW_ONLY,
    handle: async (request, reply) => {
      const asked = request.body;
      requireDecision(asked);
      const io = lastingIo(request);
      const change = await changeIn(deps, request, io);
      const { id, state, operation, commandId, lifecycleId } = change;
      if (state !== 'in-doubt') {
        fail('NOT_IN_DOUBT', `operation ${id} is ${state}`, { extra: { state } });
      }
      requireDecider(deps.hosting, change, callerOf(request));
      const act = decisionAct(change, asked);
      const preview = await previewAct(deps.previews, callerOf(request), act, 1, io);
      const of = lifecycleId === null ? '' : ` of ${lifecycleId}`;
      const shows = [`${operation} ${commandId}${of} is decided.`, MEANS[asked.decision]];
      return sendActPreview(deps, reply, { ...preview, count: 1, shows });
    },
  });
}

export const SYNCHRONIZER = {
  participant: Type.Unsafe<ParticipantName>({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    examples: ['app-provider'],
  }),
  synchronizer: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.synchronizerCharsMax,
    examples: ['global-domain::1220be58'],
  }),
};

export const giveUpAct = ({ participant, synchronizer }: SeenSynchronizer): IrreversibleAct => ({
  act: 'give-up-synchronizer',
  on: { participant, synchronizer },
});

function registerGiveUp(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', collectionRoute(OPS_SYNCHRONIZERS, 'preview-give-up'), {
    operationId: 'previewGiveUpSynchronizer',
    summary: 'Preview giving up a synchronizer',
    description: 'Changes nothing. The token permits one `:give-up` with the same values.',
    tag: TAG,
    body: closedObject(SYNCHRONIZER),
    reply: { 200: plain('ActPreview', 'The effects of the action') },
    problems: [400, 401, 403, 404, 409, 413, 415, 503],
    harmless: PREVIEW_ONLY,
    handle: async (request, reply) => {
      const by = requireProvider(deps, request);
      const seen = request.body;
      const io = lastingIo(request);
      await requireGivable(deps, seen, io);
      const count = await deps.previews.undecidedAt(seen.participant, io);
      const preview = await previewAct(deps.previews, by, giveUpAct(seen), count, io);
      const shows = [
        `No operation waits for the time of ${seen.synchronizer} at participant ${seen.participant} any more.`,
        `${count} operations were submitted through this participant and have no answer. Tenure will assume that their submissions to this synchronizer took no effect.`,
      ];
      return sendActPreview(deps, reply, { ...preview, count, shows });
    },
  });
}

/** Registers the routes that preview decisions about operations in doubt, and giving up a synchronizer. */
export function registerActPreviews(app: HttpApp, deps: HttpDeps): void {
  registerDecision(app, deps);
  registerGiveUp(app, deps);
}
