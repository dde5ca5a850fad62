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
import { numberText } from '../../texts/intl.ts';
import * as t from '../../texts/system.tsx';

type Quotas = components['schemas']['TenantQuotas'];

const BYTES_PER_MB = 1_000_000;

const megabytes = (bytes: number): string => numberText(bytes / BYTES_PER_MB, 'oneDecimal');

const trafficWords = ({ trafficPerDay }: Quotas): string => {
  if (trafficPerDay === undefined) return '';
  const { used, limit = 0 } = trafficPerDay;
  return t.ofMb(megabytes(used), megabytes(limit));
};

const words = ({ used, limit }: Quotas['webhooks']): string =>
  limit === undefined ? `${used}` : t.usedOf(used, limit);

const COLUMNS: readonly Column<Quotas>[] = [
  { name: t.tenant, as: 'grow', cell: ({ party }) => <Party party={party} /> },
  { name: t.openOperations, as: 'end', cell: ({ openOperations }) => words(openOperations) },
  { name: t.commentsTodayUtc, as: 'end', cell: ({ commentsPerDay }) => words(commentsPerDay) },
  { name: t.webhooks, as: 'end', cell: ({ webhooks }) => words(webhooks) },
  { name: t.trafficTodayUtc, as: 'end', cell: trafficWords },
];

/** The page of tenants' quotas, with the used part of each. */
export function QuotasPage() {
  const { cursor } = useSearch({ from: PATHS.quotas });
  const query = cursor === undefined ? {} : { cursor };
  const quotas = useRead('/ops/quotas', { query }, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Page
      title={t.quotas}
      lead={t.whatEachTenantUsesAndHow}
      acts={<CopyAs url={addressOf('/ops/quotas', { query })} cli="tenure ops quotas" />}
    >
      <List
        of={quotas}
        label={t.quotasOfTenants}
        keyOf={({ party }) => party}
        columns={COLUMNS}
        empty={
          <Empty title={t.noTenantUsesAnything}>
            <p>{t.aTenantIsListedOnceIt}</p>
          </Empty>
        }
      />
    </Page>
  );
}
