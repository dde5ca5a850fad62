import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { WriteDialog } from '../../acts/write-state.tsx';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Check } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { amount, durationWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { ForProviders } from './for-providers.tsx';
import { PlanForm } from './plan-form.tsx';
import { PlanVersions } from './plan-versions.tsx';

type Plan = components['schemas']['Plan'];

const TITLE = 'Plans';
const ADD = 'add';
const NO_RIGHT = 'Your permissions do not include “policy”.';

/** Prefixes in the page's address that open a dialog of a plan. */
const CHANGE = 'change:';
const VERSIONS = 'versions:';
const SALE = 'sale:';

function PlanAct({ act, words, name }: { act: string; words: string; name: string }) {
  return (
    <Link
      to={PATHS.plans}
      search={(before) => ({ ...before, act })}
      aria-label={`${words}: ${name}`}
    >
      {words}
    </Link>
  );
}

const columnsFor = (mayChange: boolean): readonly Column<Plan>[] => [
  { name: 'Name', as: 'grow', cell: ({ name }) => <strong>{name}</strong> },
  { name: 'ID', cell: ({ id }) => <code>{id}</code> },
  {
    name: 'State',
    cell: ({ archivedAt }) =>
      archivedAt === null ? <Badge tone="good">On sale</Badge> : <Badge>Archived</Badge>,
  },
  { name: 'Fee', as: 'end', cell: ({ fee, instrument }) => amount(fee, instrument) },
  { name: 'Period', cell: ({ period }) => durationWords(period) },
  { name: 'Seats', as: 'end', cell: ({ seats }) => seats ?? 'Any number' },
  {
    name: 'Version',
    cell: ({ id, name, version }) => (
      <PlanAct act={`${VERSIONS}${id}`} words={`Version ${version}`} name={name} />
    ),
  },
  ...(mayChange
    ? [
        {
          name: 'Change',
          cell: ({ id, name }: Plan) => (
            <PlanAct act={`${CHANGE}${id}`} words="New version" name={name} />
          ),
        },
        {
          name: 'Sale',
          cell: ({ id, name, archivedAt }: Plan) => (
            <PlanAct
              act={`${SALE}${id}`}
              words={archivedAt === null ? 'Archive' : 'Restore'}
              name={name}
            />
          ),
        },
      ]
    : []),
];

interface DialogProps {
  readonly plan: Plan;
  readonly onClose: () => void;
}

/** The dialog that ends the sale of a plan, or resumes it. */
function SaleDialog({ plan, onClose }: DialogProps) {
  const isOnSale = plan.archivedAt === null;
  const verb = isOnSale ? 'archive' : 'restore';
  const words = isOnSale ? 'Archive' : 'Restore';
  return (
    <WriteDialog
      title={`${words} ${plan.name}`}
      verb={words}
      look={isOnSale ? 'danger' : 'primary'}
      write={{
        method: 'POST',
        url: `/plans/${encodeURIComponent(plan.id)}/${verb}`,
        headers: { 'if-match': `"${plan.revision}"` },
      }}
      cli={`tenure plans ${verb} ${plan.id}`}
      topics={['plan']}
      onClose={onClose}
    >
      <p>
        {isOnSale
          ? 'No new licence is sold under the plan. Licences that have the plan keep it, and can be renewed under it.'
          : 'New licences can be sold under the plan again.'}
      </p>
    </WriteDialog>
  );
}

/** The dialog that the address opens. */
function OpenDialog({ plans, mayChange }: { plans: readonly Plan[]; mayChange: boolean }) {
  const { act } = useSearch({ from: PATHS.plans });
  const navigate = useNavigate({ from: PATHS.plans });
  const close = (): void =>
    void navigate({ search: ({ act: _act, ...rest }) => rest, replace: true });
  if (act === undefined) return null;
  const of = (kind: string): Plan | undefined => plans.find(({ id }) => `${kind}${id}` === act);
  const [seen, changed, sold] = [of(VERSIONS), of(CHANGE), of(SALE)];
  if (seen !== undefined) return <PlanVersions plan={seen} onClose={close} />;
  if (!mayChange) return null;
  if (act === ADD) return <PlanForm plan={null} onClose={close} />;
  if (changed !== undefined) return <PlanForm key={act} plan={changed} onClose={close} />;
  return sold === undefined ? null : <SaleDialog plan={sold} onClose={close} />;
}

function Plans() {
  const { cursor, archived } = useSearch({ from: PATHS.plans });
  const navigate = useNavigate({ from: PATHS.plans });
  const mayChange = useRoles().has('policy');
  const isWithArchived = archived === 'true';
  const query = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(isWithArchived ? { archived: 'true' as const } : {}),
  };
  const plans = useRead('/plans', { query }, { topics: ['plan'], everyMs: 60_000 });
  const narrow = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  return (
    <Page
      title={TITLE}
      lead="The plans that you sell. A change creates a new version; sold licences keep their version."
      acts={
        <>
          <Button
            look="primary"
            icon="plus"
            refused={mayChange ? undefined : NO_RIGHT}
            onClick={() => narrow({ act: ADD })}
          >
            New plan
          </Button>
          <CopyAs
            url={addressOf('/plans', { query })}
            cli={`tenure plans list${isWithArchived ? ' --archived true' : ''}`}
          />
        </>
      }
    >
      <Filters>
        <Check
          label="Show archived plans"
          isChecked={isWithArchived}
          onChange={(isChecked) => narrow({ archived: isChecked ? 'true' : null })}
        />
      </Filters>
      <List
        of={plans}
        label={TITLE}
        keyOf={({ id }) => id}
        columns={columnsFor(mayChange)}
        empty={
          <Empty title={isWithArchived ? 'You have no plans yet.' : 'No plan is on sale.'}>
            <p>Create a plan, and choose it when you create or renew a licence.</p>
          </Empty>
        }
      />
      <OpenDialog plans={plans.data?.data ?? []} mayChange={mayChange} />
    </Page>
  );
}

/** The page of a provider's plans. */
export function PlansPage() {
  return (
    <ForProviders title={TITLE}>
      <Plans />
    </ForProviders>
  );
}
