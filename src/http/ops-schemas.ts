import { Type } from '@fastify/type-provider-typebox';
import { CHANGE_STATES, OPERATIONS } from '../domain/change.ts';
import { ALL_CLASSES } from '../domain/ledger-codes.ts';

/* What answers of the operations desk look like: see `schemas.ts`. */

const open = { additionalProperties: true } as const;
const named = (values: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values] });
const party = Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] });

export const OpsCommand = Type.Object(
  {
    id: Type.String(),
    commandId: Type.String({ examples: ['renew-17'] }),
    operation: named(OPERATIONS),
    lifecycleId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    state: named(CHANGE_STATES),
    acceptedAt: Type.String(),
    finishedAt: Type.Optional(Type.String()),
    provider: party,
    user: party,
    callerParty: party,
    callerSubject: Type.String({ description: 'The identity behind the party' }),
    submissions: Type.Integer({ examples: [2] }),
    waitingFor: Type.Optional(Type.Object({ kind: Type.String(), detail: Type.String() }, open)),
    code: Type.Optional(Type.String({ description: 'Of the problem that it ended with' })),
    message: Type.Optional(Type.String()),
    ledgerCode: Type.Optional(
      Type.String({ description: 'Of that problem; while it is open, of the newest answer' }),
    ),
    class: Type.Optional(named(ALL_CLASSES)),
    failure: Type.Optional(Type.String({ description: 'Its fingerprint: see /ops/failures' })),
  },
  { $id: 'OpsCommand', ...open },
);

const count = {
  count: Type.Integer({ examples: [10_000] }),
  more: Type.Boolean({ description: 'There are more than that' }),
};

export const OpsCounts = Type.Object(
  {
    total: Type.Object(count, open),
    groups: Type.Array(
      Type.Object(
        { key: Type.Unsafe<string | null>({ type: ['string', 'null'] }), ...count },
        open,
      ),
    ),
  },
  { $id: 'OpsCounts', ...open },
);
