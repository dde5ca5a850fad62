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
import * as t from '../../texts/plans.ts';
import { ForProviders } from './for-providers.tsx';
import { PlanForm } from './plan-form.tsx';
import { PlanVersions } from './plan-versions.tsx';

type Plan = components['schemas']['Plan'];

const TITLE = t.plans;
const ADD = 'add';
const NO_RIGHT = t.yourPermissionsDoNotInclude;

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
  { name: t.name, as: 'grow', cell: ({ name }) => <strong>{name}</strong> },
  { name: 'ID', cell: ({ id }) => <code>{id}</code> },
  {
    name: t.state,
    cell: ({ archivedAt }) =>
      archivedAt === null ? <Badge tone="good">{t.onSale}</Badge> : <Badge>{t.archived}</Badge>,
  },
  { name: t.fee, as: 'end', cell: ({ fee, instrument }) => amount(fee, instrument) },
  { name: t.period, cell: ({ period }) => durationWords(period) },
  { name: t.seats, as: 'end', cell: ({ seats }) => seats ?? t.anyNumber },
  {
    name: t.version,
    cell: ({ id, name, version }) => (
      <PlanAct act={`${VERSIONS}${id}`} words={t.versionOf(version)} name={name} />
    ),
  },
  ...(mayChange
    ? [
        {
          name: t.change,
          cell: ({ id, name }: Plan) => (
            <PlanAct act={`${CHANGE}${id}`} words={t.newVersion} name={name} />
          ),
        },
        {
          name: t.sale,
          cell: ({ id, name, archivedAt }: Plan) => (
            <PlanAct
              act={`${SALE}${id}`}
              words={archivedAt === null ? t.archive : t.restore}
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
  const words = isOnSale ? t.archive : t.restore;
  return (
    <WriteDialog
      title={t.actOnPlan(words, plan.name)}
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
      <p>{isOnSale ? t.noNewLicenceIsSoldUnder : t.newLicencesCanBeSoldUnder}</p>
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
      lead={t.thePlansThatYouSellA}
      acts={
        <>
          <Button
            look="primary"
            icon="plus"
            refused={mayChange ? undefined : NO_RIGHT}
            onClick={() => narrow({ act: ADD })}
          >
            {t.newPlan}
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
          label={t.showArchivedPlans}
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
          <Empty title={isWithArchived ? t.youHaveNoPlansYet : t.noPlanIsOnSale}>
            <p>{t.createAPlanAndChooseIt}</p>
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
