import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { timestampText } from '../ledger/lf-values.ts';
import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import { Refusal } from './plain-errors.ts';

/* Routes for participants' connections to their synchronizer: offsets, traffic, and hosted parties. */

const Participant = Type.Enum([...PARTICIPANT_NAMES]);
const amount = (description?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    ...(description === undefined ? {} : { description }),
  });
const RefusedAt = Type.Union([Type.Literal('sending'), Type.Literal('sequencing')], {
  description: 'where what cannot be paid is refused',
});

const SetTraffic = Type.Object(
  {
    participant: Participant,
    balance: Type.Optional(
      Type.Union([amount(), Type.Null()], {
        description: 'what it may spend; null: without limit',
      }),
    ),
    topUp: Type.Optional(amount('so much more than it has')),
    refusedAt: Type.Optional(RefusedAt),
  },
  { additionalProperties: false, description: 'Says what a participant may spend.' },
);
const Tick = Type.Object(
  { participant: Type.Optional(Participant) },
  { additionalProperties: false, description: 'Lets a participant learn the time, or all.' },
);
const Hosting = Type.Object(
  { party: Type.String({ minLength: 1, maxLength: 300 }), participant: Participant },
  { additionalProperties: false, description: 'Hosts a party on a further participant.' },
);

const PARTICIPANT_SCHEMA = {
  title: 'How a participant stands to its synchronizer',
  type: 'object',
  properties: {
    ledgerEnd: { type: 'string', pattern: '^[0-9]+$' },
    recordTime: { type: 'string', format: 'date-time', description: 'what it has seen last' },
    isBehind: { type: 'boolean' },
    isStopped: { type: 'boolean' },
    traffic: {
      type: 'object',
      properties: {
        balance: { type: ['integer', 'null'], description: 'null: without limit' },
        spent: { type: 'integer' },
        refusedAt: { enum: ['sending', 'sequencing'] },
      },
      required: ['balance', 'spent', 'refusedAt'],
    },
  },
  required: ['ledgerEnd', 'recordTime', 'isBehind', 'isStopped', 'traffic'],
} as const;

/** The schemas of these routes in the answer to `GET /control`. */
export const PARTICIPANT_DEFINITIONS = {
  participant: PARTICIPANT_SCHEMA,
  participants: {
    title: 'All participants by name',
    type: 'object',
    additionalProperties: { $ref: '#/$defs/participant' },
  },
  setTraffic: SetTraffic,
  tick: Tick,
  hosting: Hosting,
  hosts: {
    title: 'A party and the participants that it is hosted on',
    type: 'object',
    properties: {
      party: { type: 'string' },
      participants: { type: 'array', items: { enum: [...PARTICIPANT_NAMES] } },
    },
    required: ['party', 'participants'],
  },
} as const;

const ref = (name: keyof typeof PARTICIPANT_DEFINITIONS | 'error') => ({
  $ref: `#/$defs/${name}`,
});
const refusals = { 400: ref('error') };

export const PARTICIPANT_OPERATIONS = [
  { method: 'GET', path: '/control/participants', answer: ref('participants') },
  {
    method: 'POST',
    path: '/control/traffic',
    body: ref('setTraffic'),
    answer: ref('participant'),
    refusals,
  },
  {
    method: 'POST',
    path: '/control/tick',
    body: ref('tick'),
    answer: ref('participants'),
    refusals,
  },
  {
    method: 'POST',
    path: '/control/hostings',
    body: ref('hosting'),
    answer: ref('hosts'),
    refusals,
  },
] as const;

export function addParticipantRoutes(scope: FastifyInstance, current: () => Ledger): void {
  scope.get('/control/participants', async () => tellAll(current()));
  scope.post('/control/traffic', { schema: { body: SetTraffic } }, async (request) => {
    const ledger = current();
    const body = request.body as Static<typeof SetTraffic>;
    const name = nameIn(ledger, body.participant);
    setTraffic(ledger, name, body);
    return tell(ledger, name);
  });
  scope.post('/control/tick', { schema: { body: Tick } }, async (request) => {
    const ledger = current();
    const { participant } = request.body as Static<typeof Tick>;
    ledger.tick(participant === undefined ? undefined : nameIn(ledger, participant));
    return tellAll(ledger);
  });
  scope.post('/control/hostings', { schema: { body: Hosting } }, async (request) => {
    const ledger = current();
    const { party, participant } = request.body as Static<typeof Hosting>;
    refusing(() => ledger.hostParty(party, nameIn(ledger, participant)));
    return { party, participants: ledger.hostsOf(party) };
  });
}

/** Returns a participant's own name. In a network with one participant, all three names refer to it. */
const nameIn = ({ participants }: Ledger, name: ParticipantName): ParticipantName =>
  participants[name].name;

function setTraffic(
  ledger: Ledger,
  name: ParticipantName,
  { balance, topUp, refusedAt }: Static<typeof SetTraffic>,
): void {
  if (balance !== undefined && topUp !== undefined) {
    throw new Refusal(400, 'either balance or topUp, not both');
  }
  const { balance: old } = ledger.trafficOf(name);
  const wanted = balance === undefined ? old : balance === null ? null : BigInt(balance);
  if (topUp !== undefined && wanted === null) {
    throw new Refusal(400, 'what this participant may spend has no limit: give it a balance first');
  }
  ledger.setTraffic(name, wanted === null ? null : wanted + BigInt(topUp ?? 0), refusedAt);
}

function refusing(what: () => void): void {
  try {
    what();
  } catch (error) {
    if (error instanceof LedgerError) throw new Refusal(400, error.text);
    throw error;
  }
}

const tellAll = (ledger: Ledger) =>
  Object.fromEntries(ledger.participantNames.map((name) => [name, tell(ledger, name)]));

function tell(ledger: Ledger, name: ParticipantName) {
  const participant = ledger.participants[name];
  const { balance, spent, refusedAt } = ledger.trafficOf(name);
  return {
    ledgerEnd: participant.ledgerEnd().toString(),
    recordTime: timestampText(participant.recordTime()),
    isBehind: participant.isBehind,
    isStopped: participant.isStopped,
    traffic: {
      balance: balance === null ? null : Number(balance),
      spent: Number(spent),
      refusedAt,
    },
  };
}
