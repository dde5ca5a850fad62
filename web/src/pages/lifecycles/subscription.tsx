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
import * as t from '../../texts/subscriptions.tsx';
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
  return t.on(amount(nextOffer.fee, nextOffer.instrument), <Time at={nextOffer.at} as="short" />);
}

/** The offer that the user can pay now. */
export function OpenOffer({ of }: { readonly of: Subscription }) {
  const { offer } = of;
  if (offer === null) return null;
  return (
    <Link to={PATHS.renewal} params={{ contractId: offer.renewalId }}>
      {amount(offer.fee, offer.instrument)}
      {offer.isAllocated ? t.paid : t.toBePaid}
    </Link>
  );
}

function Terms({ of }: { readonly of: Subscription }) {
  const { nextOffer, cancelledAt, tries, endUnpaid, offerBefore, offer, expiresAt } = of;
  return (
    <Facts
      of={[
        [t.openOffer, offer === null ? null : <OpenOffer key="open" of={of} />],
        [t.nextOffer, nextOffer === null ? null : <NextOffer key="next" of={of} />],
        [
          t.thenValidUntil,
          nextOffer === null ? null : <Time key="until" at={nextOffer.until} as="short" />,
        ],
        [t.plan, nextOffer?.plan.name],
        [t.cancelled, cancelledAt === null ? null : <Time key="c" at={cancelledAt} as="short" />],
        [
          t.ends,
          cancelledAt === null || expiresAt === null ? null : (
            <Time key="e" at={expiresAt} as="short" />
          ),
        ],
        [t.offeredBeforeTheEnd, cancelledAt === null ? durationWords(inDays(offerBefore)) : null],
        [t.offersOfOnePeriod, cancelledAt === null ? tries : null],
        [
          t.afterTheLastUnpaidOffer,
          cancelledAt === null
            ? endUnpaid
              ? t.theLicenceEnds
              : t.theLicenceExpiresAndCanBe
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
    subscription === null ? t.setUp : subscription.cancelledAt === null ? t.change : t.resume;
  return (
    <div className={styles.acts}>
      {roles.has('provider') ? (
        <Button
          isSmall
          refused={roles.has('policy') ? undefined : t.yourPermissionsDoNotInclude}
          onClick={() => onOpen(SET)}
        >
          {words}
        </Button>
      ) : null}
      {isCancellable && roles.has('write') ? (
        <Button isSmall look="danger" onClick={() => onOpen(CANCEL)}>
          {t.cancelSubscription}
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
      title={t.cancelTheSubscriptionOf(licenseName(license))}
      verb={t.cancelSubscription}
      write={{ method: 'DELETE', url: `/licenses/${encodeURIComponent(id)}/subscription` }}
      cli={`tenure subscriptions cancel ${id}`}
      topics={['license', 'renewal', 'subscription']}
      onClose={close}
    >
      <p>{t.theLicenceStaysValidUntilNo(<Time at={license.expiresAt} as="short" />)}</p>
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
      title={t.subscription}
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
            <p>{t.theLicenceDoesNotRenewItself}</p>
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
