import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs, Id, Party, partyName } from '../../parts/copy.tsx';
import { metadataOf } from '../../parts/metadata.ts';
import { MetadataFields } from '../../parts/metadata-fields.tsx';
import type { MetadataRows } from '../../parts/metadata.ts';
import { Note } from '../../parts/note.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { PATHS } from '../../paths.ts';
import { useRoles } from '../../api/caller.tsx';
import type { OfferProps, Offers } from './actions.tsx';
import { contractIn } from './ask-install.tsx';
import { LifePage } from './life.tsx';
import { One } from '../../parts/one.tsx';
import { MetaFacts } from './meta-facts.tsx';
import { PlanSelect, usePlans } from './plan-select.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

type Install = components['schemas']['AppInstall'];

function CreateLicenseDialog({ form, href, onClose, next }: OfferProps & { next: number }) {
  const [rows, setRows] = useState<MetadataRows>([['order', '']]);
  const [planId, setPlanId] = useState('');
  const plans = usePlans();
  return (
    <AskDialog
      form={form}
      title={`Create licence ${next} of this installation`}
      label="Create a licence"
      verb="Create"
      done="Licence created."
      url={href}
      body={() => {
        const meta = metadataOf(rows);
        if (typeof meta === 'string') return meta;
        return { ...(planId === '' ? {} : { planId }), params: { meta } };
      }}
      onClose={onClose}
      renderDone={(result) => {
        const contractId = contractIn(result, 'licenseId');
        return contractId === null ? null : (
          <p>
            <Link to={PATHS.license} params={{ contractId }}>
              To the licence
            </Link>
            , to offer its first renewal.
          </p>
        );
      }}
    >
      <p>
        A new licence is not active yet. It becomes valid with the trial of its plan, or when its
        first renewal is paid and completed.
      </p>
      <PlanSelect
        plans={plans}
        first={['', 'No plan']}
        hint="The licence keeps this version of the plan."
        value={planId}
        onChange={setPlanId}
      />
      <MetadataFields
        legend="Details"
        hint="For example an order number. Both sides can read it on the ledger."
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}

const offersFor = ({ licenseNum }: Install): Offers => ({
  'create-license': {
    words: 'Create a licence',
    look: 'primary',
    dialog: (props) => <CreateLicenseDialog {...props} next={licenseNum + 1} />,
  },
  cancel: {
    words: 'Cancel',
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title="Cancel the installation"
        done="Installation cancelled."
        verb="Cancel the installation"
        text="No more licences can be created on this installation. Its existing licences continue until they end."
      />
    ),
  },
});

function NextOf({ install }: { readonly install: Install }) {
  const isProvider = useRoles().has('provider');
  if (install.numLicensesCreated > 0) return null;
  return isProvider ? (
    <Note tone="warn" title="This installation has no licence yet.">
      <p>Create the first one.</p>
    </Note>
  ) : (
    <Note title="This installation has no licence yet.">
      <p>The provider creates licences. You find them under Licences.</p>
    </Note>
  );
}

/** The page of one installation. */
export function InstallPage() {
  const { contractId } = useParams({ from: PATHS.install });
  const isProvider = useRoles().has('provider');
  const asked = { path: { contractId } };
  const install = useRead('/app-installs/{contractId}', asked, { topics: ['install'] });
  return (
    <One of={install} name="Installation" list={{ to: PATHS.installs, name: 'Installations' }}>
      {({ data }) => (
        <LifePage
          kind="install"
          life={data}
          title={`Installation of ${data.customer?.name ?? partyName(data.user)}`}
          list={{ to: PATHS.installs, name: 'Installations' }}
          offers={offersFor(data)}
          copyAs={
            <CopyAs
              url={addressOf('/app-installs/{contractId}', asked)}
              cli={`tenure history ${data.lifecycleId ?? contractId}`}
            />
          }
          next={<NextOf install={data} />}
        >
          <Section
            title="Facts"
            isCard
            more={
              <Link
                to={PATHS.licenses}
                search={isProvider ? { user: data.user } : {}}
                className={buttonClass('quiet', true)}
              >
                {isProvider ? 'Licences of this user' : 'Your licences'}
              </Link>
            }
          >
            <Facts
              of={[
                ['Customer', data.customer?.name],
                ['User', <Party key="user" party={data.user} />],
                ['Provider', <Party key="provider" party={data.provider} />],
                ['Licences created', data.numLicensesCreated],
                ['Contract', <Id key="contract" id={data.contractId} what="contract ID" />],
              ]}
            />
            <MetaFacts title="Details" data={data.meta.data ?? {}} />
          </Section>
        </LifePage>
      )}
    </One>
  );
}
