import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party, quoted } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Paged, Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { CsvButton } from './csv-button.tsx';
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
    cell: ({ id, name }) => (
      <Link to={PATHS.customers} search={(before) => ({ ...before, act: `${CHANGE}${id}` })}>
        {name}
      </Link>
    ),
  },
  { name: 'Short name', cell: ({ shortName }) => shortName ?? '' },
  {
    name: 'Mail addresses',
    cell: ({ emails }) => emails.map((email) => <div key={email}>{email}</div>),
  },
  { name: 'Party', cell: ({ party }) => <Party party={party} /> },
  {
    name: 'Licences',
    cell: ({ party, name }) => (
      <Link to={PATHS.licenses} search={{ user: party }} aria-label={`Licences of ${name}`}>
        Show
      </Link>
    ),
  },
  { name: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

interface SearchFieldProps {
  readonly q: string | undefined;
  readonly onSearch: (q: string | null) => void;
}

function SearchField({ q, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(q ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim() === '' ? null : text.trim());
      }}
    >
      <TextField
        label="Search"
        type="search"
        placeholder="Name, reference or party"
        maxLength={255}
        value={text}
        onChange={(value) => {
          setText(value);
          if (value === '' && q !== undefined) onSearch(null);
        }}
      />
    </form>
  );
}

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
    <Empty title="You have no customer yet.">
      <p>Add a customer, and licences show its name in place of the party.</p>
    </Empty>
  );
}

/** The form that the address has open. */
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
  const { cursor, q } = useSearch({ from: PATHS.customers });
  const navigate = useNavigate({ from: PATHS.customers });
  const mayWrite = useRoles().has('write');
  const query = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(q === undefined ? {} : { search: q }),
  };
  const customers = useRead('/customers', { query }, { topics: ['customer'], everyMs: 60_000 });
  const narrow = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  return (
    <Page
      title={TITLE}
      lead="The names of the parties that you sell to. Nothing of this goes to the ledger."
      acts={
        <>
          <Button
            look="primary"
            icon="plus"
            refused={mayWrite ? undefined : 'You may only read here.'}
            onClick={() => narrow({ act: ADD })}
          >
            Add a customer
          </Button>
          <CsvButton
            url={addressOf('/customers', { query: q === undefined ? {} : { search: q } })}
            name="customers"
          />
          <CopyAs
            url={addressOf('/customers', { query })}
            cli={`tenure customers list${q === undefined ? '' : ` --search ${quoted(q)}`}`}
          />
        </>
      }
    >
      <Filters>
        <SearchField key={q ?? ''} q={q} onSearch={(words) => narrow({ q: words })} />
      </Filters>
      <Shown of={customers}>
        {({ data, next }) =>
          data.length === 0 && cursor === undefined ? (
            <NoCustomers isNarrow={q !== undefined} onAll={() => narrow({ q: null })} />
          ) : (
            <Paged
              count={data.length}
              isFirst={cursor === undefined}
              next={next}
              onPage={(to) => narrow({ cursor: to ?? null })}
            >
              <Table label={TITLE} rows={data} keyOf={({ id }) => id} columns={COLUMNS} />
            </Paged>
          )
        }
      </Shown>
      <OpenForm customers={customers.data?.data ?? []} />
    </Page>
  );
}

/** The parties that a provider sells to, by name. */
export function CustomersPage() {
  return (
    <ForProviders title={TITLE}>
      <Customers />
    </ForProviders>
  );
}
