import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Paged } from '../../parts/table.tsx';
import { PATHS } from '../../paths.ts';
import { cliFlags } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { asQuery, filterIn, isEmpty } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { OperationTable } from './operation-table.tsx';
import { StateCounts } from './state-counts.tsx';
import { ViewBar } from './view-bar.tsx';

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No operation fits these filters.' : 'There is no operation yet.'}>
      <p>
        {isFiltered
          ? 'Take a filter away, or choose another view.'
          : 'Each act on a licence or an installation becomes one, and is listed here.'}
      </p>
    </Empty>
  );
}

export function OperationsPage() {
  const search = useSearch({ from: PATHS.operations });
  const navigate = useNavigate({ from: PATHS.operations });
  const [isActing, setActing] = useState(false);
  const filter = filterIn(search);
  const { cursor, sort } = search;
  const query = {
    ...asQuery(filter),
    ...(sort === 'acceptedAt' ? { sort: 'acceptedAt' as const } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const found = useRead('/ops/operations', { query }, { topics: ['desk'], everyMs: 10_000 });
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const isUnfiltered = isEmpty(filter);
  return (
    <Page
      title="Operations"
      lead="Everything that was asked of the ledger, what it waits for, and how it ended."
      acts={
        <>
          <Button
            icon="filter"
            refused={isUnfiltered ? 'Filter first: not on everything' : undefined}
            onClick={() => setActing(true)}
          >
            Act on all of these
          </Button>
          <CopyAs
            url={addressOf('/ops/operations', { query })}
            cli={`tenure ops search${cliFlags({ ...filter, sort })}`}
          />
        </>
      }
    >
      <ViewBar search={search} />
      <StateCounts filter={filter} onChange={change} />
      <FilterBar search={search} onChange={change} />
      <Shown of={found}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Nothing isFiltered={!isUnfiltered} />
          ) : (
            <Paged
              count={data.length}
              isFirst={cursor === undefined}
              next={next}
              onPage={(to) => change({ cursor: to ?? null })}
            >
              <OperationTable label="Operations" rows={data} />
            </Paged>
          )
        }
      </Shown>
      {isActing ? <BulkDialog filter={filter} onClose={() => setActing(false)} /> : null}
    </Page>
  );
}
