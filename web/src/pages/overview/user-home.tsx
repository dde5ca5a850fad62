import { Link } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { sumOf } from '../../parts/decimal.ts';
import { Figures } from '../../parts/figures.tsx';
import { LicenseBadge } from '../../parts/license-badge.tsx';
import {
  descriptionWords,
  licenseName,
  planOf,
  statusOf,
  trialUntil,
} from '../../parts/license-words.ts';
import { Page, Section } from '../../parts/page.tsx';
import { byUrgency, phaseOf } from '../../parts/renewal-phase.ts';
import { Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Deadline, Time, useNowMs } from '../../parts/time.tsx';
import { amount, countWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { Changes } from './changes.tsx';
import styles from './overview.module.css';
import { FirstSteps } from './steps.tsx';

type License = components['schemas']['License'];
type Renewal = components['schemas']['LicenseRenewalRequest'];

/** A query with the size of the API's largest page. The counts on this page are those of the entries that were read. */
const ALL = { query: { limit: 1_000 } } as const;

const ROWS_MAX = 8;
const DAY_MS = 86_400_000;

/** Returns when the user's right to use ends: the end of the paid time or of the trial; null if neither exists. */
const endOf = (license: License): string | null =>
  license.isNeverRenewed ? trialUntil(license) : license.expiresAt;

const LICENSE_COLUMNS: readonly Column<License>[] = [
  {
    name: 'Licence',
    cell: (license) => (
      <>
        <Link to={PATHS.license} params={{ contractId: license.contractId }}>
          {licenseName(license)}
        </Link>
        <span className={styles.under}>{planOf(license)}</span>
      </>
    ),
  },
  { name: 'State', cell: (license) => <LicenseBadge license={license} /> },
  {
    name: 'Valid until',
    cell: (license) => {
      const end = endOf(license);
      if (end === null) return '';
      return (
        <>
          <Time at={end} as="short" />
          <span className={styles.under}>
            <Time at={end} />
          </span>
        </>
      );
    },
  },
];

const PAY_COLUMNS: readonly Column<Renewal>[] = [
  {
    name: 'Licence',
    as: 'grow',
    cell: ({ reference, licenseNum, description }) => (
      <>
        {licenseName({ reference, licenseNum })}
        <span className={styles.under}>{descriptionWords(description)}</span>
      </>
    ),
  },
  {
    name: 'Amount',
    as: 'end',
    cell: ({ licenseFeeAmount, licenseFeeInstrument }) => (
      <strong>{amount(licenseFeeAmount, licenseFeeInstrument)}</strong>
    ),
  },
  {
    name: 'Pay by',
    cell: ({ prepareUntil }) => (
      <>
        <Time at={prepareUntil} as="short" />
        <span className={styles.under}>
          <Deadline at={prepareUntil} over="Over" />
        </span>
      </>
    ),
  },
  {
    name: 'Next',
    cell: ({ contractId, reference, licenseNum }) => (
      <Link
        to={PATHS.renewal}
        params={{ contractId }}
        className={buttonClass('primary', true)}
        aria-label={`Pay for ${licenseName({ reference, licenseNum })}`}
      >
        Pay
      </Link>
    ),
  },
];

/** Returns the sum of fees for each instrument: "450 Amulet". */
const sumWords = (renewals: readonly Renewal[]): string =>
  [...Map.groupBy(renewals, ({ licenseFeeInstrument }) => licenseFeeInstrument)]
    .map(([instrument, some]) =>
      amount(sumOf(some.map(({ licenseFeeAmount }) => String(licenseFeeAmount))), instrument),
    )
    .join(', ');

interface FiguresProps {
  readonly licenses: readonly License[];
  readonly toPay: readonly Renewal[];
  readonly isMore: boolean;
}

function UserFigures({ licenses, toPay, isMore }: FiguresProps) {
  const nowMs = useNowMs();
  const usable = licenses.filter((one) => ['valid', 'trial'].includes(statusOf(one, nowMs)));
  const expiring = licenses.filter(
    (one) => statusOf(one, nowMs) === 'valid' && Date.parse(one.expiresAt) - nowMs < 30 * DAY_MS,
  );
  return (
    <Figures
      label="Numbers of today"
      of={[
        {
          name: 'To pay',
          value: toPay.length === 0 ? 'Nothing' : sumWords(toPay),
          ...(toPay.length === 0 ? {} : { more: `${countWords(toPay.length)} open` }),
          isDue: toPay.length > 0,
          to: { to: PATHS.renewals },
        },
        {
          name: 'Licences that you can use',
          value: countWords(usable.length, isMore),
          to: { to: PATHS.licenses },
        },
        {
          name: 'Expiring in 30 days',
          value: countWords(expiring.length, isMore && expiring.length > 0),
          to: { to: PATHS.licenses, search: { state: 'valid', lapsesWithin: 'P30D' } },
        },
      ]}
    />
  );
}

/** The steps for a user without a licence. */
function UserSteps() {
  const requests = useRead(
    '/app-install-requests',
    { query: { limit: 1 } },
    {
      topics: ['install-request'],
    },
  );
  const installs = useRead('/app-installs', { query: { limit: 1 } }, { topics: ['install'] });
  const isInstalled = (installs.data?.data.length ?? 0) > 0;
  const isAsked = isInstalled || (requests.data?.data.length ?? 0) > 0;
  return (
    <FirstSteps
      of={[
        {
          name: 'Request an installation',
          text: 'The provider accepts or rejects your request.',
          isDone: isAsked,
          verb: 'Request an installation',
          to: { to: PATHS.requests, search: { act: 'ask' } },
        },
        {
          name: 'The provider accepts your request',
          text: 'You see the installation as soon as it is accepted.',
          isDone: isInstalled,
          verb: 'See requests',
          to: { to: PATHS.requests },
        },
        {
          name: 'The provider creates your licence',
          text: 'The licence is valid after its first payment, or during its trial.',
          isDone: false,
          verb: 'See installations',
          to: { to: PATHS.installs },
        },
      ]}
    />
  );
}

function ToPay({ renewals }: { readonly renewals: readonly Renewal[] }) {
  if (renewals.length === 0) return null;
  return (
    <Section title="To pay" more={<Link to={PATHS.renewals}>All renewals</Link>}>
      <Table
        label="To pay, the next deadline first"
        rows={renewals.slice(0, ROWS_MAX)}
        keyOf={({ contractId }) => contractId}
        columns={PAY_COLUMNS}
      />
    </Section>
  );
}

/** Orders licences by their end, earliest first. Licences that were never valid come last. */
const byEnd = (a: License, b: License): number => (endOf(a) ?? '9').localeCompare(endOf(b) ?? '9');

function Mine({ licenses }: { readonly licenses: readonly License[] }) {
  return (
    <Section title="Your licences" more={<Link to={PATHS.licenses}>All licences</Link>}>
      <Table
        label="Your licences, the next end first"
        rows={licenses.toSorted(byEnd).slice(0, ROWS_MAX)}
        keyOf={({ lifecycleId, contractId }) => lifecycleId ?? contractId}
        columns={LICENSE_COLUMNS}
      />
    </Section>
  );
}

/** The first page of a user: the licences, the payments that are due, and recent changes. */
export function UserHome() {
  const licenses = useRead('/licenses', ALL, { topics: ['license', 'renewal'], everyMs: 60_000 });
  const renewals = useRead('/license-renewal-requests', ALL, {
    topics: ['renewal'],
    everyMs: 30_000,
  });
  const toPay = (renewals.data?.data ?? [])
    .filter((renewal) => phaseOf(renewal) === 'requested')
    .toSorted(byUrgency);
  return (
    <Page
      title="Home"
      acts={<CopyAs url={addressOf('/licenses', ALL)} cli="tenure licenses list" />}
    >
      <Shown of={licenses}>
        {({ data, next }) => (
          <>
            <UserFigures licenses={data} toPay={toPay} isMore={next !== null} />
            {data.length === 0 ? <UserSteps /> : null}
            <ToPay renewals={toPay} />
            <div className={styles.two}>
              {data.length === 0 ? null : <Mine licenses={data} />}
              <Changes licenses={data} />
            </div>
          </>
        )}
      </Shown>
    </Page>
  );
}
