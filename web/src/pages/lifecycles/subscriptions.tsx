import { Link, useSearch } from '@tanstack/react-router';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Party, partyName } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { SubscriptionBadge } from '../../parts/subscription-badge.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { List } from './list.tsx';
import { NextOffer, OpenOffer } from './subscription.tsx';

type Subscription = components['schemas']['Subscription'];

const columnsFor = (isProvider: boolean): readonly Column<Subscription>[] => [
  {
    name: 'Licence',
    cell: ({ licenseId, reference }) => (
      <Link to={PATHS.license} params={{ contractId: licenseId }}>
        {reference ?? 'Licence without a reference'}
      </Link>
    ),
  },
  isProvider
    ? {
        name: 'Customer',
        cell: ({ user, customer }) => <span title={user}>{customer?.name ?? partyName(user)}</span>,
      }
    : { name: 'Provider', cell: ({ provider }) => <Party party={provider} /> },
  { name: 'State', cell: ({ state }) => <SubscriptionBadge state={state} /> },
  { name: 'Plan', cell: ({ nextOffer, planId }) => nextOffer?.plan.name ?? planId },
  {
    name: 'Valid until',
    cell: ({ expiresAt }) => (expiresAt === null ? null : <Time at={expiresAt} as="short" />),
  },
  { name: 'Open offer', cell: (one) => <OpenOffer of={one} /> },
  { name: 'Next offer', cell: (one) => <NextOffer of={one} /> },
];

/** The licences that renew themselves. */
export function SubscriptionsPage() {
  const { cursor } = useSearch({ from: PATHS.subscriptions });
  const isProvider = useRoles().has('provider');
  const query = cursor === undefined ? {} : { cursor };
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
        cursor={cursor}
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
