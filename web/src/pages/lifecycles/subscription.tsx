import { Link } from '@tanstack/react-router';
import { WriteDialog } from '../../acts/write-state.tsx';
import { useRoles } from '../../api/caller.tsx';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { inDays } from '../../parts/duration.ts';
import { licenseName } from '../../parts/license-words.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Fault, Loading } from '../../parts/states.tsx';
import { SubscriptionBadge } from '../../parts/subscription-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { amount, durationWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useOpenAct } from './actions.tsx';
import { stableId } from './life.tsx';
import styles from './life.module.css';
import { SubscriptionForm } from './subscription-form.tsx';

type License = components['schemas']['License'];
type Subscription = components['schemas']['Subscription'];

const SET = 'subscribe';
const CANCEL = 'cancel-subscription';

/** The time and the price of the next offer. */
export function NextOffer({ of }: { readonly of: Subscription }) {
  const { nextOffer } = of;
  if (nextOffer === null) return null;
  return (
    <>
      {amount(nextOffer.fee, nextOffer.instrument)} on <Time at={nextOffer.at} as="short" />
    </>
  );
}

/** The offer that the user can pay now. */
export function OpenOffer({ of }: { readonly of: Subscription }) {
  const { offer } = of;
  if (offer === null) return null;
  return (
    <Link to={PATHS.renewal} params={{ contractId: offer.renewalId }}>
      {amount(offer.fee, offer.instrument)}
      {offer.isAllocated ? ', paid' : ', to be paid'}
    </Link>
  );
}

function Terms({ of }: { readonly of: Subscription }) {
  const { nextOffer, cancelledAt, tries, endUnpaid, offerBefore, offer, expiresAt } = of;
  return (
    <Facts
      of={[
        ['Open offer', offer === null ? null : <OpenOffer key="open" of={of} />],
        ['Next offer', nextOffer === null ? null : <NextOffer key="next" of={of} />],
        [
          'Then valid until',
          nextOffer === null ? null : <Time key="until" at={nextOffer.until} as="short" />,
        ],
        ['Plan', nextOffer?.plan.name],
        ['Cancelled', cancelledAt === null ? null : <Time key="c" at={cancelledAt} as="short" />],
        [
          'Ends',
          cancelledAt === null || expiresAt === null ? null : (
            <Time key="e" at={expiresAt} as="short" />
          ),
        ],
        [
          'Offered before the end',
          cancelledAt === null ? durationWords(inDays(offerBefore)) : null,
        ],
        ['Offers of one period', cancelledAt === null ? tries : null],
        [
          'After the last unpaid offer',
          cancelledAt === null
            ? endUnpaid
              ? 'The licence ends'
              : 'The licence expires and can be renewed'
            : null,
        ],
      ]}
    />
  );
}

interface ActsProps {
  readonly subscription: Subscription | null;
  readonly onOpen: (act: string) => void;
}

function Acts({ subscription, onOpen }: ActsProps) {
  const roles = useRoles();
  const isCancellable =
    subscription !== null && subscription.cancelledAt === null && subscription.state !== 'ended';
  const words =
    subscription === null ? 'Set up' : subscription.cancelledAt === null ? 'Change' : 'Resume';
  return (
    <div className={styles.acts}>
      {roles.has('provider') ? (
        <Button
          isSmall
          refused={roles.has('policy') ? undefined : 'Your permissions do not include “policy”.'}
          onClick={() => onOpen(SET)}
        >
          {words}
        </Button>
      ) : null}
      {isCancellable && roles.has('write') ? (
        <Button isSmall look="danger" onClick={() => onOpen(CANCEL)}>
          Cancel subscription
        </Button>
      ) : null}
    </div>
  );
}

interface DialogsProps {
  readonly license: License;
  readonly subscription: Subscription | null;
}

/** The dialog of the subscription that the address opens. */
function Dialogs({ license, subscription }: DialogsProps) {
  const [act, open] = useOpenAct();
  const roles = useRoles();
  const close = (): void => open(null);
  if (act === SET && roles.has('provider') && roles.has('policy')) {
    return <SubscriptionForm license={license} subscription={subscription} onClose={close} />;
  }
  if (act !== CANCEL || subscription === null || !roles.has('write')) return null;
  const id = stableId(license);
  return (
    <WriteDialog
      title={`Cancel the subscription of ${licenseName(license)}`}
      verb="Cancel subscription"
      write={{ method: 'DELETE', url: `/licenses/${encodeURIComponent(id)}/subscription` }}
      cli={`tenure subscriptions cancel ${id}`}
      topics={['license', 'renewal', 'subscription']}
      onClose={close}
    >
      <p>
        The licence stays valid until <Time at={license.expiresAt} as="short" />. No further period
        is offered, and an open offer that is not paid is withdrawn. The provider can resume the
        subscription.
      </p>
    </WriteDialog>
  );
}

/** How a licence renews itself: the subscription's state, the next offer with its price, and its end. */
export function SubscriptionSection({ license }: { readonly license: License }) {
  const [, open] = useOpenAct();
  const isProvider = useRoles().has('provider');
  const read = useRead(
    '/subscriptions',
    { query: { licenseId: stableId(license) } },
    { topics: ['subscription', 'license', 'renewal'], everyMs: 60_000 },
  );
  const subscription = read.data === undefined ? undefined : (read.data.data[0] ?? null);
  if (subscription === null && !isProvider) return null;
  return (
    <Section
      title="Subscription"
      isCard
      more={
        subscription === null || subscription === undefined ? undefined : (
          <SubscriptionBadge state={subscription.state} />
        )
      }
    >
      {subscription === undefined ? (
        read.error === null ? (
          <Loading lines={2} />
        ) : (
          <Fault error={read.error} onRetry={() => void read.refetch()} />
        )
      ) : (
        <>
          {subscription === null ? (
            <p>The licence does not renew itself. You offer each renewal.</p>
          ) : (
            <Terms of={subscription} />
          )}
          <Acts subscription={subscription} onOpen={open} />
          <Dialogs license={license} subscription={subscription} />
        </>
      )}
    </Section>
  );
}
