import { Link, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
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
import { useOpenAct } from './actions.tsx';
import { AskForInstall } from './ask-install.tsx';
import { stateBadge } from '../../parts/life-words.ts';

type Request = components['schemas']['AppInstallRequest'];

const STEPS: Readonly<Record<string, readonly [provider: string, user: string]>> = {
  requested: ['Accept or reject it', 'The provider decides'],
  accepting: ['Being accepted', 'Being accepted'],
  rejecting: ['Being rejected', 'Being rejected'],
  cancelling: ['Being withdrawn', 'Being withdrawn'],
};

const columnsFor = (isProvider: boolean): readonly Column<Request>[] => [
  {
    name: 'Request',
    cell: ({ contractId, user, customer, provider }) => (
      <Link to={PATHS.request} params={{ contractId }} title={contractId}>
        {isProvider
          ? `Request of ${customer?.name ?? partyName(user)}`
          : `Request to ${partyName(provider)}`}
      </Link>
    ),
  },
  ...(isProvider
    ? [
        {
          name: 'Customer',
          by: ({ user, customer }: Request) => customer?.name ?? user,
          cell: ({ user, customer }: Request) => <UserLink user={user} customer={customer} />,
        },
      ]
    : []),
  {
    name: 'State',
    cell: ({ state }) => {
      const [tone, words] = stateBadge('install-request', state);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: 'Details', cell: ({ meta }) => metadataLine(meta.data ?? {}), as: 'grow' },
  {
    name: 'Next',
    cell: ({ state }) => STEPS[state ?? '']?.[isProvider ? 0 : 1] ?? '',
  },
];

function NoRequests({ isProvider }: { readonly isProvider: boolean }) {
  if (isProvider) {
    return (
      <Empty title="No request waits for you.">
        <p>Users request installations. You accept or reject their requests here.</p>
      </Empty>
    );
  }
  return (
    <Empty title="You have no open request.">
      <p>
        Request an installation. When the provider has accepted the request, you find it under{' '}
        <Link to={PATHS.installs}>installations</Link>, and licences can be created on it.
      </p>
    </Empty>
  );
}

/** The page of requests for an installation that are not decided yet. */
export function RequestsPage() {
  const { cursor, q, user, ended, sort } = useSearch({ from: PATHS.requests });
  const roles = useRoles();
  const isProvider = roles.has('provider');
  const mayWrite = roles.has('write');
  const [act, open] = useOpenAct();
  const query = {
    limit: limitFor(q, sort),
    total: 'true' as const,
    ...(cursor === undefined ? {} : { cursor }),
    ...(user === undefined ? {} : { user }),
    ...(ended === 'true' ? { ended: 'true' as const } : {}),
  };
  const requests = useRead('/app-install-requests', { query }, { topics: ['install-request'] });
  return (
    <Page
      title="Requests"
      lead={
        isProvider ? 'Requests of users for an installation.' : 'Your requests for an installation.'
      }
      acts={
        <>
          {isProvider || !mayWrite ? null : (
            <Button look="primary" icon="plus" onClick={() => open('ask')}>
              Request an installation
            </Button>
          )}
          <CopyAs url={addressOf('/app-install-requests', { query })} />
        </>
      }
    >
      <List
        of={requests}
        label="Requests"
        name="requests"
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={columnsFor(isProvider)}
        only={q === undefined ? undefined : (row) => isMatch(q, findableInstall(row))}
        empty={
          q === undefined && ended !== 'true' ? (
            <NoRequests isProvider={isProvider} />
          ) : (
            <Empty title="No request matches." />
          )
        }
      >
        <Filters>
          <SearchFilter q={q} user={user} />
          <EndedFilter ended={ended} />
        </Filters>
      </List>
      {act === 'ask' && !isProvider && mayWrite ? (
        <AskForInstall onClose={() => open(null)} />
      ) : null}
    </Page>
  );
}
