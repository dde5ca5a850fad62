import { Link, useSearch } from '@tanstack/react-router';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Party, partyName } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { SubscriptionBadge } from '../../parts/subscription-badge.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { NextOffer, OpenOffer } from './subscription.tsx';

type Subscription = components['schemas']['Subscription'];

const columnsFor = (isProvider: boolean): readonly Column<Subscription>[] => [
  {
    name: 'Licence',
    by: ({ reference }) => reference ?? '',
    cell: ({ licenseId, reference }) => (
      <Link to={PATHS.license} params={{ contractId: licenseId }}>
        {reference ?? 'Licence without a reference'}
      </Link>
    ),
  },
  isProvider
    ? {
        name: 'Customer',
        by: ({ user, customer }: Subscription) => customer?.name ?? user,
        cell: ({ user, customer }) => <span title={user}>{customer?.name ?? partyName(user)}</span>,
      }
    : { name: 'Provider', cell: ({ provider }) => <Party party={provider} /> },
  {
    name: 'State',
    card: 'state',
    by: ({ state }) => state ?? '',
    cell: ({ state }) => <SubscriptionBadge state={state} />,
  },
  { name: 'Plan', cell: ({ nextOffer, planId }) => nextOffer?.plan.name ?? planId },
  {
    name: 'Valid until',
    by: ({ expiresAt }) => expiresAt ?? '',
    cell: ({ expiresAt }) => (expiresAt === null ? null : <Time at={expiresAt} as="short" />),
  },
  { name: 'Open offer', cell: (one) => <OpenOffer of={one} /> },
  { name: 'Next offer', cell: (one) => <NextOffer of={one} /> },
];

/** The page of licences that renew themselves. */
export function SubscriptionsPage() {
  const { cursor } = useSearch({ from: PATHS.subscriptions });
  const isProvider = useRoles().has('provider');
  const query = { total: 'true' as const, ...(cursor === undefined ? {} : { cursor }) };
  const subscriptions = useRead(
    '/subscriptions',
    { query },
    { topics: ['subscription', 'license', 'renewal'], everyMs: 60_000 },
  );
  return (
    <Page
      title="Subscriptions"
      lead="The licences that renew themselves, with their next offers."
      acts={<CopyAs url={addressOf('/subscriptions', { query })} cli="tenure subscriptions list" />}
    >
      <List
        of={subscriptions}
        label="Subscriptions"
        name="subscriptions"
        keyOf={({ licenseId }) => licenseId}
        columns={columnsFor(isProvider)}
        empty={
          <Empty title="No licence renews itself.">
            <p>
              {isProvider
                ? 'Set up a subscription on the page of a licence. '
                : 'The provider can set up a subscription for a licence. '}
              <Link to={PATHS.licenses}>To the licences</Link>
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
