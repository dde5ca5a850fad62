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
import * as t from '../../texts/installs.tsx';
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
      title={t.createLicenceOfThis(next)}
      label={t.createALicence}
      verb={t.create}
      done={t.licenceCreated}
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
            {t.toOfferItsFirstRenewal(
              <Link to={PATHS.license} params={{ contractId }}>
                {t.toTheLicence}
              </Link>,
            )}
          </p>
        );
      }}
    >
      <p>{t.aNewLicenceIsNotActive}</p>
      <PlanSelect
        plans={plans}
        first={['', t.noPlan]}
        hint={t.theLicenceKeepsThisVersionOf}
        value={planId}
        onChange={setPlanId}
      />
      <MetadataFields
        legend={t.details}
        hint={t.forExampleAnOrderNumberBoth}
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}

const offersFor = ({ licenseNum }: Install): Offers => ({
  'create-license': {
    words: t.createALicence,
    look: 'primary',
    dialog: (props) => <CreateLicenseDialog {...props} next={licenseNum + 1} />,
  },
  cancel: {
    words: t.cancel,
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title={t.cancelTheInstallation}
        done={t.installationCancelled}
        verb={t.cancelTheInstallation}
        text={t.noMoreLicencesCanBeCreated}
      />
    ),
  },
});

function NextOf({ install }: { readonly install: Install }) {
  const isProvider = useRoles().has('provider');
  if (install.numLicensesCreated > 0) return null;
  return isProvider ? (
    <Note tone="warn" title={t.thisInstallationHasNoLicence}>
      <p>{t.createTheFirstOne}</p>
    </Note>
  ) : (
    <Note title={t.thisInstallationHasNoLicence}>
      <p>{t.theProviderCreatesLicencesYou}</p>
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
    <One of={install} name={t.installation} list={{ to: PATHS.installs, name: t.installations }}>
      {({ data }) => (
        <LifePage
          kind="install"
          life={data}
          title={t.installationOf(data.customer?.name ?? partyName(data.user))}
          list={{ to: PATHS.installs, name: t.installations }}
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
            title={t.facts}
            isCard
            more={
              <Link
                to={PATHS.licenses}
                search={isProvider ? { user: data.user } : {}}
                className={buttonClass('quiet', true)}
              >
                {isProvider ? t.licencesOfThisUser : t.yourLicences}
              </Link>
            }
          >
            <Facts
              of={[
                [t.customer, data.customer?.name],
                [t.user, <Party key="user" party={data.user} />],
                [t.provider, <Party key="provider" party={data.provider} />],
                [t.licencesCreated, data.numLicensesCreated],
                [t.contract, <Id key="contract" id={data.contractId} what={t.contractId} />],
              ]}
            />
            <MetaFacts title={t.details} data={data.meta.data ?? {}} />
          </Section>
        </LifePage>
      )}
    </One>
  );
}
