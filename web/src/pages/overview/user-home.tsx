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
import * as t from '../../texts/overview.ts';
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
    name: t.licence,
    cell: (license) => (
      <>
        <Link to={PATHS.license} params={{ contractId: license.contractId }}>
          {licenseName(license)}
        </Link>
        <span className={styles.under}>{planOf(license)}</span>
      </>
    ),
  },
  { name: t.state, cell: (license) => <LicenseBadge license={license} /> },
  {
    name: t.validUntil,
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
    name: t.licence,
    as: 'grow',
    cell: ({ reference, licenseNum, description }) => (
      <>
        {licenseName({ reference, licenseNum })}
        <span className={styles.under}>{descriptionWords(description)}</span>
      </>
    ),
  },
  {
    name: t.amount,
    as: 'end',
    cell: ({ licenseFeeAmount, licenseFeeInstrument }) => (
      <strong>{amount(licenseFeeAmount, licenseFeeInstrument)}</strong>
    ),
  },
  {
    name: t.payBy,
    cell: ({ prepareUntil }) => (
      <>
        <Time at={prepareUntil} as="short" />
        <span className={styles.under}>
          <Deadline at={prepareUntil} over={t.over} />
        </span>
      </>
    ),
  },
  {
    name: t.next,
    cell: ({ contractId, reference, licenseNum }) => (
      <Link
        to={PATHS.renewal}
        params={{ contractId }}
        className={buttonClass('primary', true)}
        aria-label={t.payFor(licenseName({ reference, licenseNum }))}
      >
        {t.pay}
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
      label={t.numbersOfToday}
      of={[
        {
          name: t.toPay,
          value: toPay.length === 0 ? t.nothing : sumWords(toPay),
          ...(toPay.length === 0 ? {} : { more: t.open(countWords(toPay.length)) }),
          isDue: toPay.length > 0,
          to: { to: PATHS.renewals },
        },
        {
          name: t.licencesThatYouCanUse,
          value: countWords(usable.length, isMore),
          to: { to: PATHS.licenses },
        },
        {
          name: t.expiringIn30Days,
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
          name: t.requestAnInstallation,
          text: t.theProviderAcceptsOrRejects,
          isDone: isAsked,
          verb: t.requestAnInstallation,
          to: { to: PATHS.requests, search: { act: 'ask' } },
        },
        {
          name: t.theProviderAcceptsYourRequest,
          text: t.youSeeTheInstallationAsSoon,
          isDone: isInstalled,
          verb: t.seeRequests,
          to: { to: PATHS.requests },
        },
        {
          name: t.theProviderCreatesYourLicence,
          text: t.theLicenceIsValidAfterIts,
          isDone: false,
          verb: t.seeInstallations,
          to: { to: PATHS.installs },
        },
      ]}
    />
  );
}

function ToPay({ renewals }: { readonly renewals: readonly Renewal[] }) {
  if (renewals.length === 0) return null;
  return (
    <Section title={t.toPay} more={<Link to={PATHS.renewals}>{t.allRenewals}</Link>}>
      <Table
        label={t.toPayTheNextDeadlineFirst}
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
    <Section title={t.yourLicences} more={<Link to={PATHS.licenses}>{t.allLicences}</Link>}>
      <Table
        label={t.yourLicencesTheNextEndFirst}
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
      title={t.home}
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
