import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { CommandId } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { StartedAttempt } from '../../../src/app/ports/outbox.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { Store, Tx } from '../../../src/app/ports/transaction.ts';
import type { Writes } from '../../../src/app/ports/writes.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import type { AttemptRow } from '../memory/rows.ts';
import type { Plants } from './roles.ts';
import type { Fault } from './weather.ts';

/*
 * Bugs that are planted where the product uses its ports, and that break its promise. They show that the simulation can
 * fail, and that it names the right invariant.
 */

export interface Plant extends Plants {
  /** The faults under which the bug becomes visible. @default the faults that the seed selects */
  readonly faults?: readonly Fault[];
  /** Creates further bugs to plant, separately for each history. */
  readonly anew?: () => Plants;
  /** Describes the bug. */
  readonly what: string;
  /** Invariants of which at least one must be among the findings. */
  readonly breaks: readonly string[];
  /**
   * The seed of a short history that revealed the bug when this was written. After a change of the product, another
   * seed may be needed.
   */
  readonly seed: number;
}

/** Returns a store whose transactions contain a bug. */
const spoilt =
  (spoil: (tx: Tx) => Partial<Tx>) =>
  (store: Store): Store => ({
    ...store,
    transact: (io, work) => store.transact(io, (tx) => work({ ...tx, ...spoil(tx) })),
  });

/** Both ways to save what a transaction writes. */
const saving = (tx: Tx, change: (writes: Writes) => Writes): Pick<Tx, 'save' | 'startFirst'> => ({
  save: (writes) => tx.save(change(writes)),
  startFirst: (writes, ...first) => tx.startFirst(change(writes), ...first),
});

const LATE_MS = 1_500;
const IO: Io = { signal: new AbortController().signal, deadlineMs: 10_000 };

/** Data is wrong for a moment and then right again, so a check at the end does not notice it. */
const lateHistory = (store: Store): Store => ({
  ...store,
  transact: async (io, work) => {
    let history: Writes['history'] = [];
    const value = await store.transact(io, (tx) => {
      history = [];
      const late = saving(tx, (writes) => {
        ({ history } = writes);
        return { ...writes, history: [] };
      });
      return work({ ...tx, ...late });
    });
    if (history.length === 0) return value;
    setTimeout(() => {
      store
        .transact(IO, (tx) => tx.save({ ...new WorkingSet(NEWEST_MODEL).writes(), history }))
        .catch(() => undefined);
    }, LATE_MS);
    return value;
  },
});

/** Every process writes with the newest epoch, whatever the cursors require. */
function withoutFence(): Plants {
  let newest = 0n;
  return {
    leases: (leases) => ({
      ...leases,
      acquire: async (...asked) => {
        const epoch = await leases.acquire(...asked);
        if (epoch !== null) newest = epoch;
        return epoch;
      },
    }),
    store: spoilt((tx) => ({
      moveCursors: async (moves) => {
        const cursors = await tx.cursors();
        const there = moves.map((move) => {
          const from = cursors.get(move.stream) ?? move.from;
          return { ...move, from, to: move.to > from ? move.to : from };
        });
        return tx.moveCursors(there, newest);
      },
    })),
  };
}

const numberOf = ({ provider, appUser, licenseNum }: Lifecycle): string =>
  `${provider}/${appUser}/${licenseNum}`;

/** Completions extend another licence that has the renewal's number and parties, if there is one. */
function joiningByNumber(): Plants {
  const seen = new Map<string, Map<string, Lifecycle>>();
  const look = (locked: Awaited<ReturnType<Tx['lock']>>): typeof locked => {
    for (const one of locked.lifecycles) {
      if (one.kind !== 'license') continue;
      const alike = seen.get(numberOf(one)) ?? new Map<string, Lifecycle>();
      seen.set(numberOf(one), alike.set(one.id, one));
    }
    return locked;
  };
  const joined = (started: StartedAttempt): StartedAttempt => {
    const { lifecycle, through } = started;
    if (lifecycle === null || through === null) return started;
    const alike = [...(seen.get(numberOf(lifecycle))?.values() ?? [])];
    const other = alike.find(({ id, endedAt }) => id !== through.id && endedAt === null);
    return other === undefined
      ? started
      : { ...started, lifecycle: { ...lifecycle, originId: null }, through: other };
  };
  return {
    store: spoilt((tx) => ({
      lock: async (lanes) => look(await tx.lock(lanes)),
      lockFree: async (lanes) => look(await tx.lockFree(lanes)),
    })),
    outbox: (outbox) => ({
      ...outbox,
      startAttempt: async (...asked) => {
        const started = await outbox.startAttempt(...asked);
        return started === null ? null : joined(started);
      },
      startAttempts: async (claims, io) =>
        (await outbox.startAttempts(claims, io)).map((claimed) =>
          claimed === null || claimed === 'apart' ? claimed : joined(claimed),
        ),
    }),
  };
}

/** The clock and the transactions that apply a policy treat a delayed policy as if it had started. */
function withoutDelays(): Plants {
  let newest = 0;
  return {
    policies: (policies) => ({
      ...policies,
      expiry: async (...asked) => {
        const kept = await policies.expiry(...asked);
        newest = kept.version;
        return { ...kept, startsInMs: null };
      },
    }),
    store: spoilt((tx) => ({
      policyVersion: async (name, provider) => {
        const version = await tx.policyVersion(name, provider);
        return version === 0 && name === 'expiry' ? newest : version;
      },
    })),
  };
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  'forgets-deduplication': {
    what: 'commands reach back no further than the ledger end of their submission',
    breaks: ['I4'],
    seed: 13,
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
    seed: 1,
    gateway: (gateway) => ({
      ...gateway,
      submit: (request, io) =>
        gateway.submit({ ...request, commandId: trusted<CommandId>(request.submissionId) }, io),
    }),
  },
  'believes-any-refusal': {
    what: 'a refusal ends a change although an earlier attempt is undecided',
    breaks: ['I3'],
    seed: 5,
    faults: [
      'answer-late',
      'answer-lost',
      'call-lost',
      'connections-broken',
      'element-withheld',
      'refused-async',
      'refused-sync',
      'stream-silent',
    ],
    store: spoilt((tx) => ({
      attemptsOf: async (change) =>
        (await tx.attemptsOf(change)).filter(({ answer }) => answer?.verdict === 'refused'),
    })),
  },
  'stores-otherwise': {
    what: 'contracts are stored with other payloads than the ledger gave them',
    breaks: ['I6'],
    seed: 1,
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
    seed: 1,
    store: spoilt((tx) => saving(tx, (writes) => ({ ...writes, history: [] }))),
  },
  'last-in-first-out': {
    what: 'whoever came last to a lane is served first',
    breaks: ['I8'],
    seed: 1,
    store: spoilt((tx) => ({
      // The first read in a transaction returns only the newest change, and later reads begin with the first change
      // again.
      queued: async (lane, _afterNo, limit) =>
        limit === 1 ? (await tx.queued(lane, 0, 1_000)).slice(-1) : tx.queued(lane, 0, limit),
    })),
  },
  'late-history': {
    what: 'what happened to a lifecycle is written down a while after it has happened',
    breaks: ['I11'],
    seed: 1,
    store: lateHistory,
  },
  'writes-without-lease': {
    what: 'a projector that was paused goes on writing when another has taken over',
    breaks: ['lease'],
    seed: 17,
    faults: ['pause', 'pause-at-step', 'element-withheld', 'kill'],
    anew: withoutFence,
  },
  'joins-by-number': {
    what: 'a renewal is completed on a licence of its number, whichever that is',
    breaks: ['I16'],
    seed: 7,
    faults: ['answer-late'],
    anew: joiningByNumber,
  },
  'forgets-the-lost': {
    what: 'effects of operations that a restored database lacks leave no tombstones',
    breaks: ['I4'],
    seed: 8,
    faults: ['database-restored'],
    store: spoilt(() => ({ bury: async () => [] })),
  },
  'forgets-rotations': {
    what: 'a restored database takes requests while a lost submission of the former ledger user may take effect',
    breaks: ['I4'],
    seed: 241,
    faults: [
      'database-restored',
      'user-rotated',
      'participant-stopped',
      'answer-late',
      'call-lost',
    ],
    store: spoilt((tx) => ({
      beginReplay: (stream, start, epoch) =>
        tx.beginReplay(stream, { ...start, ledgerUser: null }, epoch),
    })),
  },
  'forgets-interrupted-lanes': {
    what: 'a lane with more waiting operations than one transaction ends is not continued',
    breaks: ['I10', 'I3'],
    seed: 1,
    faults: ['long-mailbox'],
    store: spoilt((tx) => saving(tx, (writes) => ({ ...writes, interrupted: [] }))),
  },
  'starts-at-once': {
    what: 'a confirmed policy ends licences during its delay',
    breaks: ['delay'],
    seed: 3,
    faults: ['policy-delayed'],
    anew: withoutDelays,
  },
  'forgets-ended-sessions': {
    what: 'a first attempt counts as unsent when the process that recorded it is gone',
    breaks: ['I3', 'I4'],
    seed: 16,
    store: spoilt((tx) => ({
      attemptsOf: async (change) =>
        (await tx.attemptsOf(change)).filter(
          (attempt: AttemptRow) => attempt.sessionOf === undefined || attempt.answer !== null,
        ),
    })),
  },
  'forgets-offers': {
    what: 'a subscription does not see the renewals that it has offered',
    breaks: ['offers'],
    seed: 4,
    faults: ['subscribed'],
    facts: (facts) => ({ ...facts, renewals: [], isUnderWay: false }),
  },
  'drops-effects': {
    what: 'a change that is given its turn is not dispatched',
    breaks: ['I10', 'I3'],
    seed: 1,
    store: spoilt((tx) => saving(tx, (writes) => ({ ...writes, newEffects: [] }))),
  },
};

export function plantOf(name: string | null): Plants & Pick<Plant, 'faults'> {
  if (name === null) return {};
  const plant = PLANTS[name];
  if (plant === undefined)
    throw new RangeError(`no bug ${name}; there are ${Object.keys(PLANTS).join(', ')}`);
  return { ...plant, ...plant.anew?.() };
}
