import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
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
import { ReasonDialog } from './reason-dialog.tsx';

type Request = components['schemas']['AppInstallRequest'];

function AcceptDialog({ form, href, onClose, meta }: OfferProps & Pick<Request, 'meta'>) {
  const [rows, setRows] = useState<MetadataRows>(() => Object.entries(meta.data ?? {}));
  return (
    <AskDialog
      form={form}
      title={t.acceptTheRequest}
      label={t.acceptTheRequest}
      verb={t.accept}
      done={t.requestAccepted}
      url={href}
      body={() => {
        const installMeta = metadataOf(rows);
        return typeof installMeta === 'string' ? installMeta : { installMeta };
      }}
      onClose={onClose}
      renderDone={(result) => {
        const contractId = contractIn(result);
        return contractId === null ? null : (
          <p>
            {t.toCreateItsFirstLicence(
              <Link to={PATHS.install} params={{ contractId }}>
                {t.toTheInstallation}
              </Link>,
            )}
          </p>
        );
      }}
    >
      <p>{t.theRequestBecomesAn}</p>
      <MetadataFields
        legend={t.detailsOfTheInstallation}
        hint={t.theseDetailsStartWithThoseOf}
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}

const offersFor = ({ meta }: Request): Offers => ({
  accept: {
    words: t.accept,
    look: 'primary',
    dialog: (props) => <AcceptDialog {...props} meta={meta} />,
  },
  reject: {
    words: t.reject,
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title={t.rejectTheRequest}
        done={t.requestRejected}
        verb={t.reject}
        text={t.theRequestEndsTheUserMay}
      />
    ),
  },
  cancel: {
    words: t.withdraw,
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title={t.withdrawTheRequest}
        done={t.requestWithdrawn}
        verb={t.withdraw}
        text={t.theRequestEndsBeforeThe}
      />
    ),
  },
});

function NextOf({ state }: { readonly state: string | undefined }) {
  const isProvider = useRoles().has('provider');
  if (state !== 'requested') {
    return (
      <Note tone="info" title={t.theOperationWasSentToThe}>
        <p>{t.thePageShowsTheResultAs}</p>
      </Note>
    );
  }
  return isProvider ? (
    <Note tone="warn" title={t.theUserWaitsForYourDecision}>
      <p>{t.acceptTheRequestToCreateAn}</p>
    </Note>
  ) : (
    <Note title={t.theProviderDecidesTitle}>
      <p>{t.youNeedToDoNothingUntil}</p>
    </Note>
  );
}

/** The page of one request for an installation. */
export function RequestPage() {
  const { contractId } = useParams({ from: PATHS.request });
  const asked = { path: { contractId } };
  const request = useRead('/app-install-requests/{contractId}', asked, {
    topics: ['install-request'],
  });
  return (
    <One
      of={request}
      name={t.requestForAnInstallation}
      list={{ to: PATHS.requests, name: t.requests }}
    >
      {({ data }) => (
        <LifePage
          kind="install-request"
          life={data}
          title={t.requestForAnInstallation}
          list={{ to: PATHS.requests, name: t.requests }}
          offers={offersFor(data)}
          copyAs={
            <CopyAs
              url={addressOf('/app-install-requests/{contractId}', asked)}
              cli={`tenure history ${data.lifecycleId ?? contractId}`}
            />
          }
          next={<NextOf state={data.state} />}
          endedActs={
            data.state === 'accepted' ? (
              <Link to={PATHS.installs} className={buttonClass()}>
                {t.toTheInstallations}
              </Link>
            ) : null
          }
        >
          <Section title={t.facts} isCard>
            <Facts
              of={[
                [t.user, <Party key="user" party={data.user} />],
                [t.provider, <Party key="provider" party={data.provider} />],
                [t.contract, <Id key="contract" id={data.contractId} what={t.contractId} />],
              ]}
            />
            <MetaFacts title={t.detailsFromTheUser} data={data.meta.data ?? {}} />
          </Section>
        </LifePage>
      )}
    </One>
  );
}
