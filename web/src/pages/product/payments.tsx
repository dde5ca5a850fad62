import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, partyName } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { licenseName } from '../../parts/license-words.ts';
import { ChosenUser } from '../../parts/list-filters.tsx';
import { List, limitFor } from '../../parts/list.tsx';
import { Facts, Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { View } from '../../parts/views.ts';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { sumOf } from '../../parts/decimal.ts';
import { ForProviders } from './for-providers.tsx';

type Payment = components['schemas']['Payment'];
type PaymentSum = components['schemas']['PaymentSum'];

const TITLE = 'Payments';

const BADGES: Readonly<Record<Payment['state'], readonly [tone: Tone, words: string]>> = {
  requested: ['warn', 'Requested'],
  allocated: ['info', 'Set aside'],
  settled: ['good', 'Settled'],
  withdrawn: ['plain', 'Withdrawn'],
  rejected: ['plain', 'Declined'],
};

const STATES: readonly (readonly [string, string])[] = [
  ['', 'Any'],
  ...Object.entries(BADGES).map(([state, [, words]]) => [state, words] as const),
];

const SPANS = [
  ['', 'Any time'],
  ['P7D', 'In the last week'],
  ['P30D', 'In the last 30 days'],
  ['P90D', 'In the last 90 days'],
  ['P365D', 'In the last year'],
] as const;

/** A link to the receipt, which is a separate page for printing. */
function Receipt({ payment }: { readonly payment: Payment }) {
  const { renewalId, receiptNo, receiptState } = payment;
  if (receiptState === 'none') return null;
  if (receiptState === 'pending') return 'No number yet';
  return (
    <a
      href={`/payments/${encodeURIComponent(renewalId)}/receipt`}
      target="_blank"
      rel="noopener noreferrer"
    >
      Receipt {receiptNo}
    </a>
  );
}

const COLUMNS: readonly Column<Payment>[] = [
  {
    name: 'Licence',
    by: licenseName,
    cell: (payment) => {
      const { licenseId, licenseNum, reference } = payment;
      const words = licenseName({ licenseNum, reference });
      return licenseId === undefined ? (
        words
      ) : (
        <Link to={PATHS.license} params={{ contractId: licenseId }}>
          {words}
        </Link>
      );
    },
  },
  {
    name: 'Customer',
    by: ({ user, customer }) => customer ?? user,
    cell: ({ user, customer }) => (
      <Link
        to={PATHS.payments}
        search={(before) => merged(before, { user })}
        title={`${user}\nOnly this customer`}
      >
        {customer ?? partyName(user)}
      </Link>
    ),
  },
  {
    name: 'State',
    card: 'state',
    by: ({ state }) => BADGES[state][1],
    cell: ({ state }) => {
      const [tone, words] = BADGES[state];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  {
    name: 'Amount',
    as: 'end',
    card: 'amount',
    by: (payment) => Number(payment.amount),
    cell: (payment) => amount(payment.amount, payment.instrument.id),
  },
  { name: 'Receipt', card: 'act', cell: (payment) => <Receipt payment={payment} /> },
  {
    name: 'Plan',
    cell: ({ plan }) => (plan === undefined ? '' : `${plan.id}, version ${plan.version}`),
  },
  {
    name: 'Requested',
    by: ({ requestedAt }) => requestedAt,
    cell: ({ requestedAt }) => <Time at={requestedAt} />,
  },
  {
    name: 'Ended',
    by: ({ endedAt }) => endedAt ?? '',
    cell: ({ endedAt }) => (endedAt === undefined ? '' : <Time at={endedAt} as="short" />),
  },
];

/** Adds up the sums of all months, for each instrument. */
function totalsOf(sums: readonly PaymentSum[]): readonly (readonly [string, string])[] {
  const byInstrument = Map.groupBy(sums, ({ instrument: { admin, id } }) => `${admin} ${id}`);
  return [...byInstrument.values()].map((some) => {
    const id = some[0]?.instrument.id ?? '';
    const count = some.reduce((all, { payments }) => all + payments, 0);
    const paid = amount(sumOf(some.map((one) => one.amount)), id);
    return [`Paid in 12 months, ${id}`, `${paid} in ${count} payments`];
  });
}

function Totals() {
  const sums = useRead('/payments/sums', {}, { topics: ['renewal'], everyMs: 60_000 });
  return (
    <Shown of={sums} lines={1}>
      {({ data }) =>
        data.length === 0 ? (
          <p>Nothing was paid to you in the last 12 months.</p>
        ) : (
          <Facts of={totalsOf(data)} />
        )
      }
    </Shown>
  );
}

function NoPayments({ isNarrow, onAll }: { isNarrow: boolean; onAll: () => void }) {
  return isNarrow ? (
    <Empty title="No payment matches.">
      <Button onClick={onAll}>Show all payments</Button>
    </Empty>
  ) : (
    <Empty title="There are no payments yet.">
      <p>
        A payment begins when you offer a renewal of a licence.{' '}
        <Link to={PATHS.licenses}>To the licences</Link>
      </p>
    </Empty>
  );
}

type Query = NonNullable<Asked<'/payments'>['query']>;

const VIEWS: readonly View[] = [
  { name: 'To be paid', search: { state: 'requested' } },
  { name: 'Settled in 30 days', search: { state: 'settled', since: 'P30D' } },
];

function Payments() {
  const { cursor, sort, state, user, since } = useSearch({ from: PATHS.payments });
  const navigate = useNavigate({ from: PATHS.payments });
  const narrowing = {
    ...(state === undefined ? {} : { state: [state] }),
    ...(user === undefined ? {} : { user }),
    ...(since === undefined ? {} : { since }),
  } as Query;
  const query = {
    limit: limitFor(sort),
    total: 'true' as const,
    ...(cursor === undefined ? {} : { cursor }),
    ...narrowing,
  };
  const payments = useRead('/payments', { query }, { topics: ['renewal'], everyMs: 30_000 });
  const narrow = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const all = { state: null, user: null, since: null };
  return (
    <Page
      title={TITLE}
      lead="Requested and paid renewals. A payment is shown here within 30 seconds."
      acts={
        <>
          <CopyAs
            url={addressOf('/payments', { query })}
            cli={`tenure payments list${cliFlags({ state, user, since: since?.replace(/^P(\d+)D$/u, '$1d') })}`}
          />
        </>
      }
    >
      <Totals />
      <List
        of={payments}
        label={TITLE}
        name="payments"
        views={VIEWS}
        csv={addressOf('/payments', { query: narrowing })}
        keyOf={({ renewalId }) => renewalId}
        columns={COLUMNS}
        empty={
          <NoPayments isNarrow={Object.keys(narrowing).length > 0} onAll={() => narrow(all)} />
        }
      >
        <Filters>
          <Select
            label="State"
            value={state ?? ''}
            options={STATES}
            onChange={(chosen) => narrow({ state: chosen })}
          />
          <Select
            label="Requested"
            value={since ?? ''}
            options={SPANS}
            onChange={(chosen) => narrow({ since: chosen })}
          />
          {user === undefined ? null : (
            <ChosenUser user={user} name={payments.data?.data[0]?.customer ?? partyName(user)} />
          )}
        </Filters>
      </List>
    </Page>
  );
}

/** The page of payments: those that renewals request, and those that were made. */
export function PaymentsPage() {
  return (
    <ForProviders title={TITLE}>
      <Payments />
    </ForProviders>
  );
}
