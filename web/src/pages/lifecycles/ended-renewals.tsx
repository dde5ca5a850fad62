import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import type { HistoryEntry } from '../../chart/history.tsx';
import { Section } from '../../parts/page.tsx';
import { Fault } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { descriptionWords } from '../../parts/license-words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/renewals.tsx';
import { endedOf, useEndedRenewals } from './paid-renewals.ts';
import { PhaseBadge, extensionOf, feeOf } from './renewal-terms.tsx';

type License = components['schemas']['License'];
type Renewal = components['schemas']['LicenseRenewalRequest'];

/** The columns of ended renewals, in every list of them. */
export const ENDED_COLUMNS: readonly Column<Renewal>[] = [
  { name: t.state, card: 'state', cell: (renewal) => <PhaseBadge renewal={renewal} /> },
  { name: t.fee, card: 'amount', cell: feeOf, as: 'end' },
  { name: t.extendsBy, cell: extensionOf },
  {
    name: t.ended,
    cell: ({ endedAt }) => (endedAt === undefined ? '' : <Time at={endedAt} as="short" />),
  },
];

const COLUMNS: readonly Column<Renewal>[] = [
  {
    name: t.renewal,
    cell: ({ contractId, description }) => (
      <Link to={PATHS.renewal} params={{ contractId }}>
        {descriptionWords(description) || t.renewal}
      </Link>
    ),
    as: 'grow',
  },
  ...ENDED_COLUMNS,
];

interface EndedRenewalsProps {
  readonly license: License;
  readonly entries: readonly HistoryEntry[];
}

/** The ended renewals of a licence, newest end first. */
export function EndedRenewals({ license, entries }: EndedRenewalsProps) {
  const read = useEndedRenewals(license);
  const ended = endedOf(license, read.data?.data ?? [], entries);
  if (ended.length === 0 && read.error === null) return null;
  return (
    <Section title={t.endedRenewals}>
      {read.error === null ? null : (
        <Fault error={read.error} onRetry={() => void read.refetch()} />
      )}
      <Table
        label={t.endedRenewals}
        rows={ended}
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={COLUMNS}
      />
    </Section>
  );
}
