import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { licenseName, suspensionOf } from '../../parts/license-words.ts';
import { Section } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/overview.ts';
import styles from './overview.module.css';

type License = components['schemas']['License'];
type Payment = components['schemas']['Payment'];

const CHANGES_MAX = 8;
const RECENT = { query: { limit: 20 } } as const;

interface Change {
  readonly key: string;
  readonly at: string;
  readonly license: string;
  readonly licenseId: string | undefined;
  readonly words: string;
}

function changesOf(payment: Payment): readonly Change[] {
  const { renewalId, licenseId, licenseNum, reference, state, requestedAt, endedAt } = payment;
  const fee = amount(payment.amount, payment.instrument.id);
  const of = { license: licenseName({ reference, licenseNum }), licenseId };
  const end = t.ends[state]?.(fee);
  return [
    { ...of, key: renewalId, at: requestedAt, words: t.wasOfferedARenewalFor(fee) },
    ...(endedAt === undefined || end === undefined
      ? []
      : [{ ...of, key: `${renewalId} end`, at: endedAt, words: end }]),
  ];
}

function suspensionsOf(licenses: readonly License[]): readonly Change[] {
  return licenses.flatMap((license) => {
    const suspension = suspensionOf(license);
    if (suspension === null) return [];
    const { contractId, lifecycleId } = license;
    return [
      {
        key: `${contractId} suspended`,
        at: suspension.at,
        license: licenseName(license),
        licenseId: lifecycleId ?? contractId,
        words: t.wasSuspended(suspension.reason),
      },
    ];
  });
}

function ChangeItem({ change: { license, licenseId, words, at } }: { readonly change: Change }) {
  return (
    <li>
      <span>
        {licenseId === undefined ? (
          license
        ) : (
          <Link to={PATHS.license} params={{ contractId: licenseId }}>
            {license}
          </Link>
        )}{' '}
        {words}
      </span>
      <Time at={at} />
    </li>
  );
}

/** The newest offers, payments and suspensions of a user. */
export function Changes({ licenses }: { readonly licenses: readonly License[] }) {
  const payments = useRead('/payments', RECENT, { topics: ['renewal'], everyMs: 60_000 });
  return (
    <Section title={t.recentChanges} isCard>
      <Shown of={payments} lines={3}>
        {({ data }) => {
          const changes = [...data.flatMap(changesOf), ...suspensionsOf(licenses)]
            .toSorted((a, b) => b.at.localeCompare(a.at))
            .slice(0, CHANGES_MAX);
          return changes.length === 0 ? (
            <p>{t.nothingHasChangedYet}</p>
          ) : (
            <ul className={styles.changes}>
              {changes.map((change) => (
                <ChangeItem key={change.key} change={change} />
              ))}
            </ul>
          );
        }}
      </Shown>
    </Section>
  );
}
