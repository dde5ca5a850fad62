import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { licenseName } from '../../parts/license-words.ts';
import { Shown } from '../../parts/states.tsx';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/renewals.tsx';
import { Actions } from './actions.tsx';
import { stableId, useActions } from './life.tsx';
import styles from './life.module.css';
import { renewalOffers } from './renewal-acts.tsx';
import { renewalScope } from '../../parts/renewal-phase.ts';
import { PhaseBadge, RenewalNote, RenewalTerms } from './renewal-terms.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];

interface RenewalCardProps {
  readonly renewal: Renewal;
  readonly isProvider: boolean;
  /** The licence on whose page the renewal is shown. */
  readonly licenseId?: string | undefined;
  /** The level of the card's heading. */
  readonly level: 2 | 3;
}

/** One renewal with its acts. */
export function RenewalCard({ renewal, isProvider, licenseId, level }: RenewalCardProps) {
  const { contractId } = renewal;
  const actions = useActions('renewal', stableId(renewal), isProvider);
  const Heading = `h${level}` as const;
  return (
    <article className={styles.renewal}>
      <div className={styles.renewalHead}>
        <Heading>
          <Link to={PATHS.renewal} params={{ contractId }}>
            {licenseId === undefined ? t.licenceOf(licenseName(renewal)) : t.renewal}
          </Link>
        </Heading>
        <PhaseBadge renewal={renewal} />
      </div>
      <RenewalTerms renewal={renewal} />
      <RenewalNote renewal={renewal} isProvider={isProvider} />
      {isProvider ? (
        <Shown of={actions} lines={1}>
          {({ data }) => (
            <div className={styles.acts}>
              <Actions
                actions={data}
                offers={renewalOffers(renewal, licenseId)}
                scope={renewalScope(renewal)}
              />
            </div>
          )}
        </Shown>
      ) : null}
    </article>
  );
}
