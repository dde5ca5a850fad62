import { useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { PATHS } from '../../paths.ts';

type Quotas = components['schemas']['TenantQuotas'];

const BYTES_PER_MB = 1_000_000;

const megabytes = (bytes: number): string => (bytes / BYTES_PER_MB).toFixed(1);

const trafficWords = ({ trafficPerDay }: Quotas): string => {
  if (trafficPerDay === undefined) return '';
  const { used, limit = 0 } = trafficPerDay;
  return `${megabytes(used)} of ${megabytes(limit)} MB`;
};

const words = ({ used, limit }: Quotas['webhooks']): string =>
  limit === undefined ? `${used}` : `${used} of ${limit}`;

const COLUMNS: readonly Column<Quotas>[] = [
  { name: 'Tenant', as: 'grow', cell: ({ party }) => <Party party={party} /> },
  { name: 'Open operations', as: 'end', cell: ({ openOperations }) => words(openOperations) },
  { name: 'Comments today (UTC)', as: 'end', cell: ({ commentsPerDay }) => words(commentsPerDay) },
  { name: 'Webhooks', as: 'end', cell: ({ webhooks }) => words(webhooks) },
  { name: 'Traffic today (UTC)', as: 'end', cell: trafficWords },
];

/** The page of tenants' quotas, with the used part of each. */
export function QuotasPage() {
  const { cursor } = useSearch({ from: PATHS.quotas });
  const query = cursor === undefined ? {} : { cursor };
  const quotas = useRead('/ops/quotas', { query }, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Page
      title="Quotas"
      lead="What each tenant uses, and how much it may use. Requests beyond a quota are refused."
      acts={<CopyAs url={addressOf('/ops/quotas', { query })} cli="tenure ops quotas" />}
    >
      <List
        of={quotas}
        label="Quotas of tenants"
        keyOf={({ party }) => party}
        columns={COLUMNS}
        empty={
          <Empty title="No tenant uses anything.">
            <p>A tenant is listed once it has open operations, comments or webhooks.</p>
          </Empty>
        }
      />
    </Page>
  );
}
