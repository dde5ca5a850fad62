import { useRead } from '../../api/use-read.ts';
import { Page, Section } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { ExpiryForm } from './expiry-form.tsx';
import { PendingNote } from './pending-policy.tsx';
import { ExpiryPreview, RenewalPreview } from './previews.tsx';
import { ProviderOnly } from './provider-only.tsx';
import { RenewalForm } from './renewal-form.tsx';

/** The options of a read that polls, because no event reports that another person has saved a policy. */
const LIVE = { topics: ['policy'], everyMs: 10_000 } as const;

function Policies() {
  const expiry = useRead('/policies/expiry', {}, LIVE);
  const renewal = useRead('/policies/renewal', {}, LIVE);
  return (
    <Page
      title="Policies"
      lead="Policies end expired licences and complete paid renewals automatically. Before you save a policy, a preview shows which licences it ends. A delay before the first expiry lets you undo the policy."
    >
      <Section title="Expiry" isCard>
        <PendingNote kind="expiry" />
        <Shown of={expiry} lines={4}>
          {(read) => <ExpiryForm read={read} />}
        </Shown>
      </Section>
      <ExpiryPreview />
      <Section title="Renewal" isCard>
        <PendingNote kind="renewal" />
        <Shown of={renewal} lines={2}>
          {(read) => <RenewalForm read={read} />}
        </Shown>
      </Section>
      {renewal.data === undefined ? null : <RenewalPreview policy={renewal.data.data} />}
    </Page>
  );
}

/** The page of policies, for the expiry of licences and the completion of renewals. */
export function PoliciesPage() {
  return (
    <ProviderOnly title="Policies" needs="policy">
      <Policies />
    </ProviderOnly>
  );
}
