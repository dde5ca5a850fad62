import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Reads } from '../../app/ports/reads.ts';
import type { CommentQuery, ContractView, PartyContractQuery } from '../../app/ports/views.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE_COMMENT } from '../../domain/licensing.ts';
import { LIMITS } from '../../domain/limits.ts';
import { TERMS_ACCEPTANCE } from '../../domain/terms-acceptance.ts';
import { assert } from '../../domain/unreachable.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { ContractRow } from '../rows/contract-row.ts';
import { CONTRACT_COLUMNS, contractFromRow } from '../rows/contract-row.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Statement } from '../sql/statement.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

const contract = columnsOf('k', CONTRACT_COLUMNS);

/**
 * Prefers the payload by the contract's template, if that template is known; otherwise reads one of its interface
 * views.
 */
const CONTRACT = statement<ContractRow>(
  'contract',
  `select ${contract}
   from contract k join template t on t.template_fqn = k.template_fqn
   where k.contract_id = $1 order by t.payload_type desc, t.template_fqn limit 1`,
);

const CONTRACTS_BY_ID = statement<ContractRow>(
  'contracts-by-id',
  `select ${contract}
   from contract k join template t on t.template_fqn = k.template_fqn
   where k.contract_id = any($1) and t.payload_type = 'template' and k.archived_at_offset is null`,
);

/** SQL: one side of a page. Each side has an index of active contracts. */
const sideOfPage = (isSide: string): string =>
  `select ${contract} from contract k
   where k.template_fqn = $1 and k.archived_at_offset is null and not k.divulged_only and ${isSide}
     and $2 = any(k.signatories || k.observers)
     and k.payload ->> 'provider' = coalesce($3, k.payload ->> 'provider')
     and k.payload ->> 'user' = coalesce($4, k.payload ->> 'user')
     and coalesce($8, $2) in (k.payload ->> 'provider', k.payload ->> 'user')
     and (k.created_at_offset, k.contract_id collate "C") > ($5::bigint, $6::text collate "C")
   order by k.created_at_offset, k.contract_id collate "C" limit $7`;

/** A contract whose provider is also its user is listed once, on the provider's side. */
const OF_PARTY = statement<ContractRow>(
  'contracts-of-party',
  `select ${contract}
   from ((${sideOfPage(`k.payload ->> 'provider' = $2`)})
         union all
         (${sideOfPage(`k.payload ->> 'user' = $2 and k.payload ->> 'provider' <> $2`)})) k
   order by k.created_at_offset, k.contract_id collate "C" limit $7`,
);

/**
 * SQL: the comments about a licence, written exactly like the index `contract_comment` and in the order of that index.
 * Comments of other clients identify it only by provider, user and number.
 */
const OF_ORIGIN = `k.template_fqn = '${templateFqn(LICENSE_COMMENT)}' and not k.divulged_only
     and k.payload ->> 'provider' = $1 and k.payload ->> 'user' = $2 and k.payload ->> 'licenseNum' = $3
     and coalesce(k.origin_id, $4) = $4`;

/** SQL: without the Z, a time with fewer digits of a second sorts before one with more digits, as it should. */
const CREATED_AT = `rtrim(k.payload ->> 'createdAt', 'Z') collate "C"`;

/**
 * Does not use `is null`: without statistics, PostgreSQL would then prefer the indexes of active contracts, which have
 * another order.
 */
const COMMENTS = statement<ContractRow>(
  'comments',
  `select ${contract} from contract k
   where ${OF_ORIGIN} and num_nulls(k.archived_at_offset) = 1
     and (${CREATED_AT}, k.contract_id collate "C") > (rtrim($5::text, 'Z') collate "C", $6::text collate "C")
   order by ${CREATED_AT}, k.contract_id collate "C" limit $7`,
);

/** No index has this order, so each part of the result reads all matching comments; parts are large for this reason. */
const COMMENTS_MADE = statement<ContractRow & Pick<Row<'contract'>, 'created_node_id'>>(
  'comments-made',
  `select ${contract}, k.created_node_id from contract k
   where ${OF_ORIGIN}
     and k.created_effective_at >= $5 and k.created_effective_at <= coalesce($6, 'infinity'::timestamptz)
     and (k.created_at_offset, k.created_node_id) > ($7::bigint, $8::integer)
   order by k.created_at_offset, k.created_node_id limit ${LIMITS.pageSizeMax}`,
);

/**
 * Finds the acceptance of terms: a comment whose body has the form `TERMS_ACCEPTANCE`. Comments of other clients do not
 * count, because it is not known to which lifecycle they belong. Only the newest comments are searched, so that many
 * comments without an acceptance do not slow down each read.
 */
const TERMS_ACCEPTED = statement<ContractRow>(
  'terms-accepted',
  `select ${contract} from (
     select k.* from contract k
     where ${OF_ORIGIN} and num_nulls(k.archived_at_offset) = 1
     order by ${CREATED_AT} desc, k.contract_id collate "C" desc limit ${STORE_LIMITS.termsSearchedMax}) as k
   where k.origin_id = $4 and k.payload ->> 'commenter' = $2 and k.payload ->> 'body' ~ $5
   order by ${CREATED_AT} desc, k.contract_id collate "C" desc limit 1`,
);

const keyOf = ({ provider, appUser, licenseNum, licenseId }: CommentQuery): readonly string[] => [
  provider,
  appUser,
  String(licenseNum),
  licenseId,
];

/** The position before all comments. */
const BEGINNING = { createdAt: '', contractId: '' };

/** The position before all contracts. */
const BEFORE_ALL = { createdAtOffset: -1n, contractId: '' };

/** Reads single contracts, and contracts without a lifecycle of their own. */
export function createContractReads(
  pool: Pool,
): Pick<
  Reads,
  | 'contract'
  | 'activeContracts'
  | 'contractsOfParty'
  | 'comments'
  | 'commentsMade'
  | 'termsAcceptance'
> {
  const views = async (
    io: Io,
    query: Statement<ContractRow>,
    values: readonly unknown[],
  ): Promise<ContractView[]> =>
    (await onConnection(pool, io, (session) => session.run(query, values))).map(contractFromRow);

  return {
    async contract(id, io) {
      const [found] = await views(io, CONTRACT, [id]);
      return found ?? null;
    },
    activeContracts: (ids, io) => views(io, CONTRACTS_BY_ID, [ids]),
    contractsOfParty(query: PartyContractQuery, io) {
      const { templateFqn: template, party, provider = null, appUser = null, limit } = query;
      const { other = null } = query;
      const { createdAtOffset, contractId } = query.after ?? BEFORE_ALL;
      assert(limit >= 1 && limit <= LIMITS.pageSizeMax + 1, 'a page has a size within bounds');
      const values = [
        template,
        party,
        provider,
        appUser,
        createdAtOffset,
        contractId,
        limit,
        other,
      ];
      return views(io, OF_PARTY, values);
    },
    comments({ after = BEGINNING, limit, ...of }, io) {
      assert(limit >= 1 && limit <= LIMITS.pageSizeMax, 'a page has a size within bounds');
      return views(io, COMMENTS, [...keyOf(of), after.createdAt, after.contractId, limit]);
    },
    async *commentsMade({ from, until, ...of }, io) {
      let after: readonly unknown[] = [BEFORE_ALL.createdAtOffset, 0];
      for (;;) {
        const values = [...keyOf(of), from, until, ...after];
        const rows = await onConnection(pool, io, (session) => session.run(COMMENTS_MADE, values));
        yield* rows.map(contractFromRow);
        const last = rows.at(-1);
        if (last === undefined || rows.length < LIMITS.pageSizeMax) return;
        after = [last.created_at_offset, last.created_node_id];
      }
    },
    async termsAcceptance(of, io) {
      const [found] = await views(io, TERMS_ACCEPTED, [...keyOf(of), TERMS_ACCEPTANCE]);
      return found ?? null;
    },
  };
}
