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
import * as t from '../../texts/subscriptions.tsx';
import { NextOffer, OpenOffer } from './subscription.tsx';

type Subscription = components['schemas']['Subscription'];

const columnsFor = (isProvider: boolean): readonly Column<Subscription>[] => [
  {
    name: t.licence,
    by: ({ reference }) => reference ?? '',
    cell: ({ licenseId, reference }) => (
      <Link to={PATHS.license} params={{ contractId: licenseId }}>
        {reference ?? t.licenceWithoutAReference}
      </Link>
    ),
  },
  isProvider
    ? {
        name: t.customer,
        by: ({ user, customer }: Subscription) => customer?.name ?? user,
        cell: ({ user, customer }) => <span title={user}>{customer?.name ?? partyName(user)}</span>,
      }
    : { name: t.provider, cell: ({ provider }) => <Party party={provider} /> },
  {
    name: t.state,
    card: 'state',
    by: ({ state }) => state ?? '',
    cell: ({ state }) => <SubscriptionBadge state={state} />,
  },
  { name: t.plan, cell: ({ nextOffer, planId }) => nextOffer?.plan.name ?? planId },
  {
    name: t.validUntil,
    by: ({ expiresAt }) => expiresAt ?? '',
    cell: ({ expiresAt }) => (expiresAt === null ? null : <Time at={expiresAt} as="short" />),
  },
  { name: t.openOffer, cell: (one) => <OpenOffer of={one} /> },
  { name: t.nextOffer, cell: (one) => <NextOffer of={one} /> },
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
      title={t.subscriptions}
      lead={t.theLicencesThatRenewThemselves}
      acts={<CopyAs url={addressOf('/subscriptions', { query })} cli="tenure subscriptions list" />}
    >
      <List
        of={subscriptions}
        label={t.subscriptions}
        name="subscriptions"
        keyOf={({ licenseId }) => licenseId}
        columns={columnsFor(isProvider)}
        empty={
          <Empty title={t.noLicenceRenewsItself}>
            <p>
              {isProvider ? t.setUpASubscriptionOnThe : t.theProviderCanSetUpA}{' '}
              <Link to={PATHS.licenses}>{t.toTheLicences}</Link>
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
