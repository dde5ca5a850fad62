import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyAs, partyName } from '../../parts/copy.tsx';
import { Filters } from '../../parts/filters.tsx';
import { findableInstall, isMatch } from '../../parts/match.ts';
import { metadataLine } from '../../parts/metadata.ts';
import { EndedFilter, SearchFilter, UserLink } from '../../parts/list-filters.tsx';
import { List, limitFor } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import { stateBadge } from '../../parts/life-words.ts';

type Install = components['schemas']['AppInstall'];

const columnsFor = (isProvider: boolean): readonly Column<Install>[] => [
  {
    name: 'Installation',
    cell: ({ contractId, user, customer, provider }) => (
      <Link to={PATHS.install} params={{ contractId }} title={contractId}>
        {isProvider
          ? `Installation of ${customer?.name ?? partyName(user)}`
          : `Installation by ${partyName(provider)}`}
      </Link>
    ),
  },
  ...(isProvider
    ? [
        {
          name: 'Customer',
          by: ({ user, customer }: Install) => customer?.name ?? user,
          cell: ({ user, customer }: Install) => <UserLink user={user} customer={customer} />,
        },
      ]
    : []),
  {
    name: 'State',
    cell: ({ state }) => {
      const [tone, words] = stateBadge('install', state);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: 'Licences created', cell: ({ numLicensesCreated }) => numLicensesCreated, as: 'end' },
  { name: 'Details', cell: ({ meta }) => metadataLine(meta.data ?? {}), as: 'grow' },
];

/** The page of active installations. */
export function InstallsPage() {
  const { cursor, q, user, ended, sort } = useSearch({ from: PATHS.installs });
  const isProvider = useRoles().has('provider');
  const query = {
    limit: limitFor(q, sort),
    total: 'true' as const,
    ...(cursor === undefined ? {} : { cursor }),
    ...(user === undefined ? {} : { user }),
    ...(ended === 'true' ? { ended: 'true' as const } : {}),
  };
  const installs = useRead('/app-installs', { query }, { topics: ['install'] });
  return (
    <Page
      title="Installations"
      lead={
        isProvider
          ? 'You create licences on installations. Each accepted request becomes an installation.'
          : 'The provider creates your licences on them.'
      }
      acts={<CopyAs url={addressOf('/app-installs', { query })} />}
    >
      <List
        of={installs}
        label="Installations"
        name="installations"
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={columnsFor(isProvider)}
        only={q === undefined ? undefined : (row) => isMatch(q, findableInstall(row))}
        empty={
          q !== undefined || ended === 'true' ? (
            <Empty title="No installation matches." />
          ) : (
            <Empty title="There are no installations.">
              <p>
                {isProvider
                  ? 'An accepted request becomes an installation. '
                  : 'Request one. It is listed here when the provider has accepted the request. '}
                <Link to={PATHS.requests}>To the requests</Link>
              </p>
            </Empty>
          )
        }
      >
        <Filters>
          <SearchFilter q={q} user={user} />
          <EndedFilter ended={ended} />
        </Filters>
      </List>
    </Page>
  );
}
