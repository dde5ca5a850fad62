import { useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
import { licenseName } from '../../parts/license-words.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
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
      name="Renewal"
      list={{ to: PATHS.renewals, name: isProvider ? 'Renewals' : 'To pay' }}
    >
      {({ data }) => (
        <LifePage
          kind="renewal"
          life={data}
          title={`Renewal of ${licenseName(data)}`}
          list={{ to: PATHS.renewals, name: isProvider ? 'Renewals' : 'To pay' }}
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
          <Section title="Terms" isCard>
            <RenewalTerms renewal={data} />
          </Section>
          <Section title="Facts" isCard>
            <Facts
              of={[
                ['Licence', <LicenseOf key="license" renewal={data} />],
                ['Customer', data.customer?.name],
                ['User', <Party key="user" party={data.user} />],
                ['Provider', <Party key="provider" party={data.provider} />],
                ['Offered', <Time key="asked" at={data.requestedAt} as="short" />],
                ['Order in the wallet', <Id key="request" id={data.requestId} what="request ID" />],
                ['Contract', <Id key="contract" id={data.contractId} what="contract ID" />],
                [
                  'Update',
                  data.updateId === undefined ? null : (
                    <Id key="update" id={data.updateId} what="update ID" />
                  ),
                ],
                [
                  'Set aside',
                  data.allocationCid === null ? null : (
                    <Id key="allocation" id={data.allocationCid} what="allocation’s contract ID" />
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
