import { useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
import { licenseName } from '../../parts/license-words.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import * as t from '../../texts/renewals.tsx';
import { LicenseOf } from './license-of.tsx';
import { LifePage } from './life.tsx';
import { One } from '../../parts/one.tsx';
import { renewalOffers } from './renewal-acts.tsx';
import { PhaseBadge, RenewalNote, RenewalTerms } from './renewal-terms.tsx';

/** The page of one renewal: a request to pay for an extension of a licence. */
export function RenewalPage() {
  const { contractId } = useParams({ from: PATHS.renewal });
  const isProvider = useRoles().has('provider');
  const asked = { path: { contractId } };
  const renewal = useRead('/license-renewal-requests/{contractId}', asked, {
    topics: ['renewal', 'license'],
    // Polls, because an allocation by the user, or a deadline that passes, causes no event of the renewal.
    everyMs: 10_000,
  });
  return (
    <One
      of={renewal}
      name={t.renewal}
      list={{ to: PATHS.renewals, name: isProvider ? t.renewals : t.toPay }}
    >
      {({ data }) => (
        <LifePage
          kind="renewal"
          life={data}
          title={t.renewalOfLicence(licenseName(data))}
          list={{ to: PATHS.renewals, name: isProvider ? t.renewals : t.toPay }}
          badge={<PhaseBadge renewal={data} />}
          offers={renewalOffers(data)}
          copyAs={
            <CopyAs
              url={addressOf('/license-renewal-requests/{contractId}', asked)}
              cli={`tenure history ${data.lifecycleId ?? contractId}`}
            />
          }
          next={<RenewalNote renewal={data} isProvider={isProvider} />}
        >
          <Section title={t.terms} isCard>
            <RenewalTerms renewal={data} />
          </Section>
          <Section title={t.facts} isCard>
            <Facts
              of={[
                [t.licence, <LicenseOf key="license" renewal={data} />],
                [t.customer, data.customer?.name],
                [t.user, <Party key="user" party={data.user} />],
                [t.provider, <Party key="provider" party={data.provider} />],
                [t.offered, <Time key="asked" at={data.requestedAt} as="short" />],
                [t.orderInTheWallet, <Id key="request" id={data.requestId} what={t.requestId} />],
                [t.contract, <Id key="contract" id={data.contractId} what={t.contractId} />],
                [
                  t.update,
                  data.updateId === undefined ? null : (
                    <Id key="update" id={data.updateId} what={t.updateId} />
                  ),
                ],
                [
                  t.setAside,
                  data.allocationCid === null ? null : (
                    <Id key="allocation" id={data.allocationCid} what={t.allocationsContractId} />
                  ),
                ],
              ]}
            />
          </Section>
        </LifePage>
      )}
    </One>
  );
}
