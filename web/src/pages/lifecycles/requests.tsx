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
import * as t from '../../texts/installs.tsx';
import { useOpenAct } from './actions.tsx';
import { AskForInstall } from './ask-install.tsx';
import { stateBadge } from '../../parts/life-words.ts';

type Request = components['schemas']['AppInstallRequest'];

const STEPS: Readonly<Record<string, readonly [provider: string, user: string]>> = {
  requested: [t.acceptOrRejectIt, t.theProviderDecides],
  accepting: [t.beingAccepted, t.beingAccepted],
  rejecting: [t.beingRejected, t.beingRejected],
  cancelling: [t.beingWithdrawn, t.beingWithdrawn],
};

const columnsFor = (isProvider: boolean): readonly Column<Request>[] => [
  {
    name: t.request,
    cell: ({ contractId, user, customer, provider }) => (
      <Link to={PATHS.request} params={{ contractId }} title={contractId}>
        {isProvider
          ? t.requestOf(customer?.name ?? partyName(user))
          : t.requestTo(partyName(provider))}
      </Link>
    ),
  },
  ...(isProvider
    ? [
        {
          name: t.customer,
          by: ({ user, customer }: Request) => customer?.name ?? user,
          cell: ({ user, customer }: Request) => <UserLink user={user} customer={customer} />,
        },
      ]
    : []),
  {
    name: t.state,
    cell: ({ state }) => {
      const [tone, words] = stateBadge('install-request', state);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { name: t.details, cell: ({ meta }) => metadataLine(meta.data ?? {}), as: 'grow' },
  {
    name: t.next,
    cell: ({ state }) => STEPS[state ?? '']?.[isProvider ? 0 : 1] ?? '',
  },
];

function NoRequests({ isProvider }: { readonly isProvider: boolean }) {
  if (isProvider) {
    return (
      <Empty title={t.noRequestWaitsForYou}>
        <p>{t.usersRequestInstallationsYou}</p>
      </Empty>
    );
  }
  return (
    <Empty title={t.youHaveNoOpenRequest}>
      <p>
        {t.requestAnInstallationWhenThe(<Link to={PATHS.installs}>{t.installationsWord}</Link>)}
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
      title={t.requests}
      lead={isProvider ? t.requestsOfUsersForAn : t.yourRequestsForAnInstallation}
      acts={
        <>
          {isProvider || !mayWrite ? null : (
            <Button look="primary" icon="plus" onClick={() => open('ask')}>
              {t.requestAnInstallation}
            </Button>
          )}
          <CopyAs url={addressOf('/app-install-requests', { query })} />
        </>
      }
    >
      <List
        of={requests}
        label={t.requests}
        name="requests"
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={columnsFor(isProvider)}
        only={q === undefined ? undefined : (row) => isMatch(q, findableInstall(row))}
        empty={
          q === undefined && ended !== 'true' ? (
            <NoRequests isProvider={isProvider} />
          ) : (
            <Empty title={t.noRequestMatches} />
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
