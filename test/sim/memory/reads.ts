import { textAt } from '../../../src/domain/json.ts';
import { seesChange } from '../../../src/app/ports/ops-scope.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { Reads } from '../../../src/app/ports/reads.ts';
import type {
  CommentQuery,
  ContractKey,
  ContractView,
  Count,
  LifecycleView,
  ListKey,
  ListQuery,
  Order,
  PartyContractQuery,
} from '../../../src/app/ports/views.ts';
import type { Change } from '../../../src/domain/change.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { LICENSE_COMMENT } from '../../../src/domain/licensing.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { acceptedTermsIn } from '../../../src/domain/terms-acceptance.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { assert } from '../../../src/domain/unreachable.ts';
import type { Connection } from './connection.ts';
import { query } from './connection.ts';
import { findHeldBack, findParticipantCauses, findPauseOf, isForeign } from './pauses.ts';
import { byText, findAttempts, findLifecycle, findProvenTime, findRetries } from './find.ts';
import { instantOf } from './instants.ts';
import type { ContractRow } from './rows.ts';
import type { Tables } from './tables.ts';
import { isHead } from './tables.ts';
import { contractView, isActive, lifecycleView } from './views.ts';

const keyOf = ({ appUser, licenseNum, id }: Lifecycle): ListKey => ({
  appUser,
  listNo: String(licenseNum ?? 0n),
  id,
});

/** Returns the sign of comparisons in a list; without an order, the newest entries come first. */
export const wayOf = (order?: Order): number => (order === 'ascending' ? 1 : -1);

/** Compares list keys in the order of lists: by user, number and ID. */
function byKey(a: ListKey, b: ListKey): number {
  const numbers = Number(BigInt(a.listNo) - BigInt(b.listNo));
  return byText(a.appUser, b.appUser) || numbers || byText(a.id, b.id);
}

function entries(tables: Tables, asked: Omit<ListQuery, 'limit'>): Lifecycle[] {
  const { kind, party, other, provider, appUser, state, endedAs, listNo } = asked;
  const { expiresAfter, expiresBefore, after, order = 'ascending' } = asked;
  const afterMs = expiresAfter === undefined ? -Infinity : isoToMs(expiresAfter);
  const beforeMs = expiresBefore === undefined ? Infinity : isoToMs(expiresBefore);
  const isAsked = (of: Lifecycle): boolean =>
    (of.provider === party || of.appUser === party) &&
    (other === undefined || of.provider === other || of.appUser === other) &&
    (provider === undefined || of.provider === provider) &&
    (appUser === undefined || of.appUser === appUser) &&
    (state === undefined || of.state === state) &&
    (endedAs === undefined || endedAs.includes(of.state)) &&
    (listNo === undefined || (of.licenseNum ?? 0n) === listNo) &&
    (expiresAfter === undefined || (of.expiresAt !== null && isoToMs(of.expiresAt) >= afterMs)) &&
    (expiresBefore === undefined || (of.expiresAt !== null && isoToMs(of.expiresAt) < beforeMs)) &&
    (after === undefined || wayOf(order) * byKey(keyOf(of), after) > 0);
  return tables.lifecycles
    .find(null, endedAs === undefined ? 'active' : 'ended', kind)
    .filter(isAsked);
}

function page(tables: Tables, asked: ListQuery): LifecycleView[] {
  const { limit, order = 'ascending' } = asked;
  assert(limit >= 1 && limit <= LIMITS.pageSizeMax + 1, 'a page has a size within bounds');
  return entries(tables, asked)
    .toSorted((a, b) => wayOf(order) * byKey(keyOf(a), keyOf(b)))
    .slice(0, limit)
    .map((of) => lifecycleView(tables, of));
}

type Lists = Pick<Reads, 'list' | 'listAll' | 'count'>;

function createLists(connection: Connection, tables: Tables): Lists {
  const list = (asked: ListQuery, io: Io) =>
    query(connection, io, 'reads.list', () => page(tables, asked));

  async function* listAll(
    asked: Omit<ListQuery, 'limit'>,
    io: Io,
  ): AsyncGenerator<LifecycleView, void, undefined> {
    let { after } = asked;
    for (;;) {
      const position = after === undefined ? {} : { after };
      const chunk = await list({ ...asked, ...position, limit: LIMITS.listChunk }, io);
      yield* chunk;
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < LIMITS.listChunk) return;
      after = keyOf(last.lifecycle);
    }
  }
  const count = (asked: Omit<ListQuery, 'after' | 'limit'>, io: Io): Promise<Count> =>
    query(connection, io, 'reads.count', () => {
      const { length } = entries(tables, asked);
      return { count: Math.min(length, LIMITS.countMax), more: length > LIMITS.countMax };
    });
  return { list, listAll, count };
}

const COMMENT_FQN = templateFqn(LICENSE_COMMENT);

/** Removes the Z. Without it, a time with fewer fractional digits sorts before one with more. */
const withoutZ = (time: unknown): string => String(time).replace(/Z+$/u, '');

function commentRows(tables: Tables, of: CommentQuery): ContractRow[] {
  return tables.contracts
    .find(null, 'type', COMMENT_FQN)
    .filter(
      ({ divulgedOnly, payload, originId }) =>
        !divulgedOnly &&
        payload['provider'] === of.provider &&
        payload['user'] === of.appUser &&
        payload['licenseNum'] === String(of.licenseNum) &&
        (originId ?? of.licenseId) === of.licenseId,
    );
}

function comments(tables: Tables, asked: Parameters<Reads['comments']>[0]): ContractView[] {
  const { after, limit } = asked;
  assert(limit >= 1 && limit <= LIMITS.pageSizeMax, 'a page has a size within bounds');
  const compare = (a: [string, string], b: [string, string]): number =>
    byText(a[0], b[0]) || byText(a[1], b[1]);
  const position = ({ payload, contractId }: ContractRow): [string, string] => [
    withoutZ(payload['createdAt']),
    contractId,
  ];
  const from: [string, string] = [withoutZ(after?.createdAt ?? ''), after?.contractId ?? ''];
  return commentRows(tables, asked)
    .filter(isActive)
    .filter((row) => compare(position(row), from) > 0)
    .toSorted((a, b) => compare(position(a), position(b)))
    .slice(0, limit)
    .map(contractView);
}

function commentsMade(tables: Tables, asked: Parameters<Reads['commentsMade']>[0]): ContractView[] {
  const [fromMs, untilMs] = [
    isoToMs(asked.from),
    asked.until === null ? Infinity : isoToMs(asked.until),
  ];
  return commentRows(tables, asked)
    .filter(({ createdAt }) => isoToMs(createdAt) >= fromMs && isoToMs(createdAt) <= untilMs)
    .toSorted(
      (a, b) => Number(a.createdAtOffset - b.createdAtOffset) || a.createdNodeId - b.createdNodeId,
    )
    .map(contractView);
}

function termsAcceptance(tables: Tables, of: CommentQuery): ContractView | null {
  const key = ({ payload, contractId }: ContractRow): string =>
    `${withoutZ(payload['createdAt'])} ${contractId}`;
  const accepting = commentRows(tables, of).filter(
    (row) =>
      isActive(row) &&
      row.originId === of.licenseId &&
      row.payload['commenter'] === of.appUser &&
      acceptedTermsIn(textAt(row.payload, 'body') ?? '') !== null,
  );
  const newest = accepting.toSorted((a, b) => byText(key(a), key(b))).at(-1);
  return newest === undefined ? null : contractView(newest);
}

const isOfTemplate = (tables: Tables, { templateFqn }: ContractRow): boolean =>
  tables.templates.get(null, templateFqn)?.payloadType === 'template';

function contractsOfParty(tables: Tables, query: PartyContractQuery): ContractView[] {
  const { party, provider, appUser, limit, after } = query;
  const compare = (a: ContractKey, b: ContractKey): number =>
    Number(a.createdAtOffset - b.createdAtOffset) || byText(a.contractId, b.contractId);
  return tables.contracts
    .find(null, 'type', query.templateFqn)
    .filter((row) => isActive(row) && !row.divulgedOnly)
    .filter(({ signatories, observers }) => [...signatories, ...observers].includes(party))
    .filter(({ payload }) => {
      const sides = [payload['provider'], payload['user']];
      return (
        sides.includes(party) &&
        sides[0] === (provider ?? sides[0]) &&
        sides[1] === (appUser ?? sides[1])
      );
    })
    .filter((row) => after === undefined || compare(row, after) > 0)
    .toSorted(compare)
    .slice(0, limit)
    .map(contractView);
}

/** Returns a contract as its template shows it; if the template is unknown, as one of its interfaces does. */
function contract(tables: Tables, id: string): ContractView | null {
  const rank = ({ templateFqn }: ContractRow) =>
    tables.templates.get(null, templateFqn)?.payloadType === 'template' ? 0 : 1;
  const [row] = tables.contracts
    .find(null, 'contract', id)
    .toSorted((a, b) => rank(a) - rank(b) || byText(a.templateFqn, b.templateFqn));
  return row === undefined ? null : contractView(row);
}

type WatchReads = Pick<
  Reads,
  | 'participantCauses'
  | 'longestWaiting'
  | 'pauseOf'
  | 'inDoubt'
  | 'audit'
  | 'ledgerTime'
  | 'leaseOf'
>;

type Accepted = { readonly acceptedAt: string; readonly id: string };

const byAcceptance = (a: Accepted, b: Accepted): number =>
  isoToMs(a.acceptedAt) - isoToMs(b.acceptedAt) || byText(a.id, b.id);

const waitsSinceMs = ({ waitingFor, acceptedAt }: Change): number =>
  isoToMs(waitingFor?.since ?? acceptedAt);

/** The reads of code that monitors operations. */
function createWatchReads(connection: Connection, tables: Tables): WatchReads {
  const heads = () => tables.changes.find(null, 'heads', '').map(({ change }) => change);
  return {
    longestWaiting: ({ since, acceptedBefore, limit }, io) =>
      query(connection, io, 'reads.longestWaiting', () =>
        heads()
          .filter(({ id }) =>
            tables.effects
              .find(null, 'change', id)
              .every((effect) => effect.heldAtMs === null || isForeign(tables, null, effect)),
          )
          .filter(
            (head) =>
              waitsSinceMs(head) < isoToMs(since) ||
              isoToMs(head.acceptedAt) < isoToMs(acceptedBefore),
          )
          .toSorted((a, b) => waitsSinceMs(a) - waitsSinceMs(b) || byText(a.id, b.id))
          .slice(0, limit),
      ),
    inDoubt: (limit, io, scope, after) =>
      query(connection, io, 'reads.inDoubt', () =>
        heads()
          .filter(
            (head) =>
              head.state === 'in-doubt' &&
              (scope === undefined || seesChange(scope, head)) &&
              (after === undefined || byAcceptance(head, after) > 0),
          )
          .toSorted(byAcceptance)
          .slice(0, limit),
      ),
    audit: (change, io) =>
      query(connection, io, 'reads.audit', () =>
        tables.audit
          .find(null, 'change', change)
          .toSorted((a, b) => a.id - b.id)
          .map(({ entry }) => entry),
      ),
    participantCauses: (io) =>
      query(connection, io, 'reads.participantCauses', () =>
        findParticipantCauses(tables, null, connection.server.now()),
      ),
    pauseOf: (change, io) =>
      query(connection, io, 'reads.pauseOf', () => findPauseOf(tables, change)),
    ledgerTime: (io) =>
      query(
        connection,
        io,
        'reads.ledgerTime',
        () => tables.cursors.get(null, 'updates')?.recordTime ?? null,
      ),
    leaseOf: (name, io) =>
      query(connection, io, 'reads.leaseOf', () => {
        const lease = tables.leases.get(null, name);
        if (lease === undefined) return null;
        const { holder, epoch, expiresAtMs } = lease;
        const isHeld = expiresAtMs > connection.server.now();
        return { holder, epoch, expiresAt: instantOf(expiresAtMs), isHeld };
      }),
  };
}

type WorkReads = Pick<
  Reads,
  | 'history'
  | 'changesById'
  | 'provenTime'
  | 'heldBack'
  | 'retriesOf'
  | 'changesByCommand'
  | 'attempts'
  | 'placeInMailbox'
  | 'headOf'
>;

function createWorkReads(connection: Connection, tables: Tables): WorkReads {
  const { changes, history } = tables;
  const headOf = (lane: string) => changes.find(null, 'head', lane)[0]?.change ?? null;
  return {
    async *history(id, io) {
      yield* await query(connection, io, 'reads.history', () =>
        history
          .find(null, 'lifecycle', id)
          .toSorted((a, b) => a.entry.seq - b.entry.seq || a.n - b.n)
          .map(({ entry }) => entry),
      );
    },
    changesById: (ids, io) =>
      query(connection, io, 'reads.changesById', () =>
        [...new Set(ids)].flatMap((id) => changes.get(null, id)?.change ?? []),
      ),
    heldBack: (participant, provider, io) =>
      query(connection, io, 'reads.heldBack', () =>
        findHeldBack(tables, participant, provider, connection.server.now()),
      ),
    provenTime: (participant, io) =>
      query(connection, io, 'reads.provenTime', () => findProvenTime(tables, null, participant)),
    retriesOf: (root, io) =>
      query(connection, io, 'reads.retriesOf', () => findRetries(tables, null, root)),
    changesByCommand: (commandId, callerParty, io) =>
      query(connection, io, 'reads.changesByCommand', () =>
        changes
          .find(null, 'command', commandId)
          .map(({ change }) => change)
          .filter((change) => change.callerParty === callerParty)
          .toSorted((a, b) => isoToMs(b.acceptedAt) - isoToMs(a.acceptedAt) || byText(a.id, b.id)),
      ),
    attempts: (id, io) =>
      query(connection, io, 'reads.attempts', () => findAttempts(tables, null, id)),
    placeInMailbox: ({ lane, mailboxNo }, io) =>
      query(connection, io, 'reads.placeInMailbox', () => {
        const head = headOf(lane);
        const before = changes
          .find(null, 'queued', lane)
          .filter(({ change }) => change.mailboxNo < mailboxNo);
        return before.length + Number(head !== null && head.mailboxNo < mailboxNo);
      }),
    headOf: (lane, io) =>
      query(connection, io, 'reads.headOf', () => {
        const head = headOf(lane);
        return head !== null && isHead(head) ? head : null;
      }),
  };
}

/** Reads without locks. Each read returns what is committed at that moment. */
export function createReads(connection: Connection): Reads {
  const { tables } = connection.server;
  return {
    ...createLists(connection, tables),
    ...createWorkReads(connection, tables),
    ...createWatchReads(connection, tables),
    lifecycle: (id, io) =>
      query(connection, io, 'reads.lifecycle', () => {
        const found = findLifecycle(tables, null, id);
        return found === null ? null : lifecycleView(tables, found);
      }),
    contract: (id, io) => query(connection, io, 'reads.contract', () => contract(tables, id)),
    activeContracts: (ids, io) =>
      query(connection, io, 'reads.activeContracts', () =>
        ids
          .flatMap((id) => tables.contracts.find(null, 'contract', id))
          .filter((row) => isActive(row) && isOfTemplate(tables, row))
          .map(contractView),
      ),
    contractsOfParty: (asked, io) =>
      query(connection, io, 'reads.contractsOfParty', () => contractsOfParty(tables, asked)),
    comments: (asked, io) => query(connection, io, 'reads.comments', () => comments(tables, asked)),
    async *commentsMade(asked, io) {
      yield* await query(connection, io, 'reads.commentsMade', () => commentsMade(tables, asked));
    },
    termsAcceptance: (of, io) =>
      query(connection, io, 'reads.termsAcceptance', () => termsAcceptance(tables, of)),
  };
}
