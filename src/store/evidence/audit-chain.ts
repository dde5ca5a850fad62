import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { ChainEnds, ChainLink, ChainPlace } from '../../app/ports/audit-chain.ts';
import { STORE_LIMITS } from '../limits.ts';
import { AUDIT_BYTES } from '../rows/audit-row.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/* Reads the hash chain of the audit log for the doctor. */

interface EndsRow {
  readonly last_seq: bigint;
  readonly last_hash: string;
  readonly deleted_seq: bigint;
  readonly deleted_hash: string;
}

interface LinkRow {
  readonly seq: bigint;
  readonly audit_id: bigint;
  readonly hash: string;
  readonly is_right: boolean | null;
}

const ENDS = plannedAnew<EndsRow>(
  'audit-chain-ends',
  `select c.last_seq, encode(c.last_hash, 'hex') as last_hash, c.deleted_seq,
          encode(c.deleted_hash, 'hex') as deleted_hash from audit_chain c`,
);

/**
 * Reads the links of the chain. `is_right` says whether a link's hash follows from the previous link and the link's
 * row; null if that row is missing.
 */
const LINKS = plannedAnew<LinkRow>(
  'audit-chain-links',
  `select l.seq, l.audit_id, encode(l.hash, 'hex') as hash,
     case when a.id is not null then
       l.hash = sha256(coalesce(lag(l.hash) over (order by l.seq), decode($2, 'hex')) || ${AUDIT_BYTES}) end as is_right
   from audit_link l left join audit a on a.id = l.audit_id
   where l.seq > $1 order by l.seq limit $3`,
);

/**
 * Finds rows that are not in the chain although the sequencer has passed their position. Rows that were added in the
 * usual way are never among them.
 */
const UNCHAINED = plannedAnew<{ id: bigint }>(
  'audit-unchained',
  `select a.id from audit a, audit_chain c
   where a.id <= c.settled_id and not exists (select from audit_link l where l.audit_id = a.id)
   order by a.id limit $1`,
);

const MOMENT = plannedAnew<{ at: string; deleted_until: string | null }>(
  'evidence-now',
  'select now() as at, (select deleted_until from audit_chain) as deleted_until',
);

/** Returns the time of the snapshot, and the time up to which rows of the audit log may have been deleted. */
export async function readMoment(session: Session) {
  const [row] = await session.run(MOMENT);
  return { at: row?.at ?? '', auditDeletedUntil: row?.deleted_until ?? null };
}

async function readChainEnds(session: Session): Promise<ChainEnds | null> {
  const [row] = await session.run(ENDS);
  if (row === undefined) return null;
  return {
    last: { seq: row.last_seq, hash: row.last_hash },
    deleted: { seq: row.deleted_seq, hash: row.deleted_hash },
  };
}

/** Reads all links after a position, in order and one page at a time. */
async function* readChainLinks(
  session: Session,
  after: ChainPlace,
): AsyncGenerator<readonly ChainLink[], void, undefined> {
  const max = STORE_LIMITS.auditLinksRead;
  for (let { seq, hash } = after; ;) {
    const rows = await session.run(LINKS, [seq, hash, max]);
    yield rows.map((row) => ({
      seq: row.seq,
      auditId: row.audit_id,
      hash: row.hash,
      isRight: row.is_right,
    }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < max) return;
    ({ seq, hash } = last);
  }
}

const readUnchained = async (session: Session): Promise<readonly bigint[]> =>
  (await session.run(UNCHAINED, [STORE_LIMITS.auditUnchainedShown])).map(({ id }) => id);

/** Reads the chain in one snapshot. */
export const withAuditChain = <T>(
  pool: Pool,
  io: Io,
  work: (chain: {
    ends(): Promise<ChainEnds | null>;
    links(after: ChainPlace): AsyncIterable<readonly ChainLink[]>;
    /** Returns some of the rows that should be in the chain and are not, or none. */
    unchained(): Promise<readonly bigint[]>;
  }) => Promise<T>,
): Promise<T> =>
  transact(
    pool,
    io,
    (session) =>
      work({
        ends: () => readChainEnds(session),
        links: (after) => readChainLinks(session, after),
        unchained: () => readUnchained(session),
      }),
    { asks: true },
  );
