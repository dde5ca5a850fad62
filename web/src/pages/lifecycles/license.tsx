import { Link, useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { WebLink } from '../../parts/web-link.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import type { Action, Offers } from './actions.tsx';
import { Comments } from './comments.tsx';
import { EndedRenewals } from './ended-renewals.tsx';
import { LicenseNext } from './license-next.tsx';
import { LifePage, stableId, useActions, useHistory } from './life.tsx';
import { endingOf } from '../../parts/life-words.ts';
import { LicenseBadge } from '../../parts/license-badge.tsx';
import { licenseName, planOf, trialUntil } from '../../parts/license-words.ts';
import { One } from '../../parts/one.tsx';
import { MetaFacts } from './meta-facts.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { RenewDialog } from './renew-dialog.tsx';
import { RenewalCard } from './renewal-card.tsx';
import { SubscriptionSection } from './subscription.tsx';
import { SuspendedNote, SuspensionAct } from './suspension.tsx';
import { useWithActing } from './use-acting.ts';

type License = components['schemas']['License'];

/**
 * Whether a renewal is refused only because another renewal of the licence is open. The API accepts a further one if
 * the request sets `allowConcurrent`.
 */
const isConcurrentRefusal = (reason: string): boolean => reason.includes('allowConcurrent');

function offersFor(license: License, actions: readonly Action[]): Offers {
  const openReason = actions.find(({ name }) => name === 'renew')?.reason;
  return {
    renew: {
      words: 'Offer renewal',
      look: 'primary',
      isOpenDespite: isConcurrentRefusal,
      dialog: (props) => <RenewDialog {...props} license={license} openReason={openReason} />,
    },
    expire: {
      words: 'End licence',
      look: 'danger',
      dialog: (props) => (
        <ReasonDialog
          {...props}
          title={`End licence ${licenseName(license)}`}
          verb="End licence"
          done="Licence ended."
          text="The licence ends for both sides and cannot be restored: its contract is archived on the ledger."
        />
      ),
    },
  };
}

/** Shows the customer that the user is, or a link to give the user a name. */
function CustomerFact({ license: { customer, user } }: { readonly license: License }) {
  return customer?.name === undefined ? (
    <Link to={PATHS.customers} search={{ act: 'add', party: user }}>
      Name this user
    </Link>
  ) : (
    <Link to={PATHS.customers} search={{ q: customer.name }}>
      {customer.name}
    </Link>
  );
}

/** Shows the newest terms that the user has accepted on the ledger: their address, their hash and the time. */
function TermsFact({ terms }: { readonly terms: NonNullable<License['acceptedTerms']> }) {
  const { hash, version, url, acceptedAt } = terms;
  const name = version ?? url;
  return (
    <>
      {url === null || name === null ? name : <WebLink href={url}>{name}</WebLink>}{' '}
      <Id id={hash} what="SHA-256 of the terms" />, accepted <Time at={acceptedAt} as="short" />
    </>
  );
}

/** Returns the label for the end of a licence: the end of the paid time, or of the trial before the first payment. */
function untilWords({ isNeverRenewed, state }: License): string {
  if (isNeverRenewed) return 'Trial until';
  return endingOf('license', state) === null ? 'Valid until' : 'Was valid until';
}

function LicenseFacts({ license }: { readonly license: License }) {
  const isProvider = useRoles().has('provider');
  const end = license.isNeverRenewed ? trialUntil(license) : license.expiresAt;
  return (
    <Section title="Facts" isCard>
      <Facts
        of={[
          ['Customer', isProvider ? <CustomerFact key="customer" license={license} /> : null],
          ['User', isProvider ? <Party key="user" party={license.user} /> : null],
          ['Provider', <Party key="provider" party={license.provider} />],
          [untilWords(license), end === null ? null : <Time key="until" at={end} as="short" />],
          ['Number', license.licenseNum],
          ['Plan', planOf(license)],
          [
            'Terms',
            license.acceptedTerms ? <TermsFact key="t" terms={license.acceptedTerms} /> : null,
          ],
          [
            'Contract',
            isProvider ? <Id key="contract" id={license.contractId} what="contract ID" /> : null,
          ],
        ]}
      />
      <MetaFacts title="Details" data={license.params.meta?.data ?? {}} />
    </Section>
  );
}

interface RenewalsProps {
  readonly license: License;
  readonly isProvider: boolean;
}

function Renewals({ license, isProvider }: RenewalsProps) {
  const renewalRequests = useWithActing(license.renewalRequests);
  if (renewalRequests.length === 0) return null;
  return (
    <Section title={renewalRequests.length === 1 ? 'Open renewal' : 'Open renewals'}>
      {renewalRequests.map((renewal) => (
        <RenewalCard
          key={renewal.lifecycleId ?? renewal.contractId}
          renewal={renewal}
          isProvider={isProvider}
          licenseId={license.lifecycleId}
          level={3}
        />
      ))}
    </Section>
  );
}

function LicenseView({ license }: { readonly license: License }) {
  const isProvider = useRoles().has('provider');
  const contractId = stableId(license);
  const actions = useActions('license', contractId).data?.data ?? [];
  const history = useHistory('license', contractId).data?.data;
  const receipt = (
    <Link to={PATHS.receipt} params={{ contractId }} className={buttonClass()}>
      Receipt
    </Link>
  );
  return (
    <LifePage
      kind="license"
      life={license}
      title={`Licence ${licenseName(license)}`}
      list={{ to: PATHS.licenses, name: 'Licences' }}
      badge={<LicenseBadge license={license} />}
      offers={offersFor(license, actions)}
      more={
        <>
          {isProvider ? <SuspensionAct license={license} /> : null}
          {receipt}
        </>
      }
      copyAs={
        <CopyAs
          url={addressOf('/licenses/{contractId}', { path: { contractId } })}
          cli={`tenure licenses show ${contractId}`}
        />
      }
      after={
        <Comments
          contractId={contractId}
          license={licenseName(license)}
          hasEnded={endingOf('license', license.state) !== null}
          action={actions.find(({ name }) => name === 'comment')}
        />
      }
      next={
        <>
          <SuspendedNote license={license} />
          <LicenseNext license={license} isProvider={isProvider} />
        </>
      }
    >
      <LicenseFacts license={license} />
      <Renewals license={license} isProvider={isProvider} />
      {endingOf('license', license.state) === null ? (
        <SubscriptionSection license={license} />
      ) : null}
      <EndedRenewals license={license} entries={history ?? []} />
    </LifePage>
  );
}

/** The page of one licence: its end, the next step, its comments and its history. */
export function LicensePage() {
  const { contractId } = useParams({ from: PATHS.license });
  const license = useRead(
    '/licenses/{contractId}',
    { path: { contractId } },
    { topics: ['license', 'renewal'], everyMs: 15_000 },
  );
  return (
    <One of={license} name="Licence" list={{ to: PATHS.licenses, name: 'Licences' }}>
      {({ data }) => <LicenseView license={data} />}
    </One>
  );
}
