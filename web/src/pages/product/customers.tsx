import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyAs, Party, quoted } from '../../parts/copy.tsx';
import { Filters } from '../../parts/filters.tsx';
import { SearchField } from '../../parts/list-filters.tsx';
import { List, limitFor } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { CustomerForm } from './customer-form.tsx';
import { ForProviders } from './for-providers.tsx';

type Customer = components['schemas']['Customer'];

const TITLE = 'Customers';
const ADD = 'add';
const CHANGE = 'change:';

const COLUMNS: readonly Column<Customer>[] = [
  {
    name: 'Name',
    as: 'grow',
    by: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to={PATHS.customers} search={(before) => ({ ...before, act: `${CHANGE}${id}` })}>
        {name}
      </Link>
    ),
  },
  { name: 'Short name', cell: ({ shortName }) => shortName ?? '' },
  {
    name: 'Mail addresses',
    cell: ({ emails, unsubscribedEmails: ended }) =>
      emails.map((email) => (
        <div key={email}>
          {email}
          {ended.includes(email) ? ' (unsubscribed)' : ''}
        </div>
      )),
  },
  { name: 'Party', cell: ({ party }) => <Party party={party} /> },
  {
    name: 'Licences',
    card: 'act',
    cell: ({ party, name }) => (
      <Link
        to={PATHS.licenses}
        search={{ user: party }}
        className={buttonClass('plain', true)}
        aria-label={`Licences of ${name}`}
      >
        Licences
      </Link>
    ),
  },
  {
    name: 'Changed',
    by: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

interface NoCustomersProps {
  readonly isNarrow: boolean;
  readonly onAll: () => void;
}

function NoCustomers({ isNarrow, onAll }: NoCustomersProps) {
  return isNarrow ? (
    <Empty title="No customer matches.">
      <Button onClick={onAll}>Show all customers</Button>
    </Empty>
  ) : (
    <Empty title="You have no customers yet.">
      <p>Add a customer, and licences show its name instead of the party ID.</p>
    </Empty>
  );
}

/** The form that the address opens. */
function OpenForm({ customers }: { readonly customers: readonly Customer[] }) {
  const { act, party } = useSearch({ from: PATHS.customers });
  const navigate = useNavigate({ from: PATHS.customers });
  const close = (): void =>
    void navigate({ search: ({ act: _act, party: _party, ...rest }) => rest, replace: true });
  if (!useRoles().has('write') || act === undefined) return null;
  if (act === ADD) return <CustomerForm customer={null} party={party} onClose={close} />;
  const changed = customers.find(({ id }) => `${CHANGE}${id}` === act);
  if (changed === undefined) return null;
  return <CustomerForm key={changed.id} customer={changed} party={undefined} onClose={close} />;
}

function Customers() {
  const { cursor, q, sort } = useSearch({ from: PATHS.customers });
  const navigate = useNavigate({ from: PATHS.customers });
  const mayWrite = useRoles().has('write');
  const narrowing = q === undefined ? {} : { search: q };
  const query = {
    limit: limitFor(sort),
    total: 'true' as const,
    ...(cursor === undefined ? {} : { cursor }),
    ...narrowing,
  };
  const customers = useRead('/customers', { query }, { topics: ['customer'], everyMs: 60_000 });
  const narrow = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  return (
    <Page
      title={TITLE}
      lead="The parties that you sell to, with names and addresses. Tenure writes none of this to the ledger."
      acts={
        <>
          <Button
            look="primary"
            icon="plus"
            refused={mayWrite ? undefined : 'Your permissions allow reading only.'}
            onClick={() => narrow({ act: ADD })}
          >
            Add a customer
          </Button>
          <CopyAs
            url={addressOf('/customers', { query })}
            cli={`tenure customers list${q === undefined ? '' : ` --search ${quoted(q)}`}`}
          />
        </>
      }
    >
      <List
        of={customers}
        label={TITLE}
        name="customers"
        csv={addressOf('/customers', { query: narrowing })}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={<NoCustomers isNarrow={q !== undefined} onAll={() => narrow({ q: null })} />}
      >
        <Filters>
          <SearchField
            q={q}
            placeholder="Name, reference or party"
            onSearch={(words) => narrow({ q: words ?? null })}
          />
        </Filters>
      </List>
      <OpenForm customers={customers.data?.data ?? []} />
    </Page>
  );
}

/** The page of customers: the parties to which a provider sells, with their names. */
export function CustomersPage() {
  return (
    <ForProviders title={TITLE}>
      <Customers />
    </ForProviders>
  );
}
