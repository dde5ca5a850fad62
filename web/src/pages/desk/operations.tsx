import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import { useCaller } from '../../api/caller.tsx';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { View } from '../../parts/views.ts';
import { PATHS } from '../../paths.ts';
import { cliFlags } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { asQuery, filterIn, isEmpty } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { OPERATION_COLUMNS } from './operation-table.tsx';
import { StateCounts } from './state-counts.tsx';

/** Views that every operator has; `subject` is the identity of the viewer. */
const builtIn = (subject: string): readonly View[] => [
  { name: 'In doubt', search: { state: 'in-doubt', order: 'oldest' } },
  { name: 'Retrying', search: { state: 'retrying', order: 'oldest' } },
  {
    name: 'Open for an hour',
    search: {
      state: 'queued,submitting,retrying,in-doubt',
      until: 'PT1H',
      order: 'oldest',
    },
  },
  { name: 'Failed today', search: { state: 'failed,rejected', since: 'PT24H' } },
  { name: 'Mine', search: { subject } },
];

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No operation matches.' : 'There are no operations yet.'}>
      <p>
        {isFiltered
          ? 'Remove a filter, or choose another view.'
          : 'Each action on a licence or an installation is listed here as an operation.'}
      </p>
    </Empty>
  );
}

export function OperationsPage() {
  const search = useSearch({ from: PATHS.operations });
  const navigate = useNavigate({ from: PATHS.operations });
  const [isActing, setActing] = useState(false);
  const { subject } = useCaller();
  const filter = filterIn(search);
  const { cursor, order } = search;
  const query = {
    ...asQuery(filter),
    ...(order === 'oldest' ? { sort: 'acceptedAt' as const } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const found = useRead('/ops/operations', { query }, { topics: ['desk'], everyMs: 10_000 });
  const counts = useRead(
    '/ops/operations/counts',
    { query: asQuery(filter) },
    { topics: ['desk'], everyMs: 30_000 },
  );
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const isUnfiltered = isEmpty(filter);
  return (
    <Page
      title="Operations"
      lead="All requests to change the ledger, with what they wait for and how they ended."
      acts={
        <>
          <Button
            icon="filter"
            refused={isUnfiltered ? 'Set a filter first' : undefined}
            onClick={() => setActing(true)}
          >
            Act on all of these
          </Button>
          <CopyAs
            url={addressOf('/ops/operations', { query })}
            cli={`tenure ops search${cliFlags({ ...filter, ...(order === 'oldest' ? { sort: 'acceptedAt' } : {}) })}`}
          />
        </>
      }
    >
      <StateCounts filter={filter} onChange={change} />
      <List
        of={found}
        label="Operations"
        name="operations"
        views={builtIn(subject)}
        keyOf={({ id }) => id}
        columns={OPERATION_COLUMNS}
        total={counts.data?.data.total ?? null}
        empty={<Nothing isFiltered={!isUnfiltered} />}
      >
        <FilterBar search={search} onChange={change} />
      </List>
      {isActing ? <BulkDialog filter={filter} onClose={() => setActing(false)} /> : null}
    </Page>
  );
}
