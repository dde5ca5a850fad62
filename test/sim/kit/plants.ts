import { trusted } from '../../../src/domain/ids.ts';
import type { CommandId } from '../../../src/domain/ids.ts';
import type { Store, Tx } from '../../../src/app/ports.ts';
import type { Plants } from './roles.ts';

/*
 * Bugs that the promise does not survive, planted at the borders of the product: the proof that the simulation can
 * fail, and names the right invariant.
 */

export interface Plant extends Plants {
  /** What is wrong, in words. */
  readonly what: string;
  /** Any of these must be among the findings. */
  readonly breaks: readonly string[];
}

/** The same store with something wrong in its transactions. */
const spoilt =
  (spoil: (tx: Tx) => Partial<Tx>) =>
  (store: Store): Store => ({
    ...store,
    transact: (io, work) => store.transact(io, (tx) => work({ ...tx, ...spoil(tx) })),
  });

export const PLANTS: Readonly<Record<string, Plant>> = {
  'forgets-deduplication': {
    what: 'commands reach back no further than the ledger end of their submission',
    breaks: ['I4'],
    gateway: (gateway) => ({
      ...gateway,
      submit: async (request, io) => {
        const end = await gateway.ledgerEnd(request.submitter.participant, io).catch(() => null);
        if (end === null) return gateway.submit(request, io);
        return gateway.submit({ ...request, deduplicationOffset: end }, io);
      },
    }),
  },
  'new-command-ids': {
    what: 'each attempt has a command ID of its own',
    breaks: ['I4'],
    gateway: (gateway) => ({
      ...gateway,
      submit: (request, io) =>
        gateway.submit({ ...request, commandId: trusted<CommandId>(request.submissionId) }, io),
    }),
  },
  'believes-any-refusal': {
    what: 'a refusal ends a change although an earlier attempt is undecided',
    breaks: ['I3'],
    store: spoilt((tx) => ({
      attemptsOf: async (change) =>
        (await tx.attemptsOf(change)).filter(({ answer }) => answer?.verdict === 'refused'),
    })),
  },
  'stores-otherwise': {
    what: 'contracts are stored with other payloads than the ledger gave them',
    breaks: ['I6'],
    store: spoilt((tx) => ({
      insertUpdates: (updates, readAs) =>
        tx.insertUpdates(
          updates.map((update) => ({
            ...update,
            events: update.events.map((event) =>
              event.kind === 'created'
                ? { ...event, payload: { ...event.payload, more: '1' } }
                : event,
            ),
          })),
          readAs,
        ),
    })),
  },
  'forgets-history': {
    what: 'what happened to a lifecycle is not written down',
    breaks: ['I11'],
    store: spoilt((tx) => ({ save: (writes) => tx.save({ ...writes, history: [] }) })),
  },
  'last-in-first-out': {
    what: 'whoever came last to a lane is served first',
    breaks: ['I8'],
    store: spoilt((tx) => ({
      queued: async (lane, afterNo, limit) => (await tx.queued(lane, afterNo, limit)).toReversed(),
    })),
  },
  'drops-effects': {
    what: 'a change that is given its turn is not dispatched',
    breaks: ['I10', 'I3'],
    store: spoilt((tx) => ({ save: (writes) => tx.save({ ...writes, newEffects: [] }) })),
  },
};

export function plantOf(name: string | null): Plants {
  if (name === null) return {};
  const plant = PLANTS[name];
  if (plant === undefined)
    throw new RangeError(`no bug ${name}; there are ${Object.keys(PLANTS).join(', ')}`);
  return plant;
}
