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
      title="Accept the request"
      label="Accept the request"
      verb="Accept"
      done="Request accepted."
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
            <Link to={PATHS.install} params={{ contractId }}>
              To the installation
            </Link>
            , to create its first licence.
          </p>
        );
      }}
    >
      <p>The request becomes an installation, on which you create licences.</p>
      <MetadataFields
        legend="Details of the installation"
        hint="These details start with those of the request. They are written to the ledger, where both sides can read them."
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}

const offersFor = ({ meta }: Request): Offers => ({
  accept: {
    words: 'Accept',
    look: 'primary',
    dialog: (props) => <AcceptDialog {...props} meta={meta} />,
  },
  reject: {
    words: 'Reject',
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title="Reject the request"
        done="Request rejected."
        verb="Reject"
        text="The request ends. The user may send another one."
      />
    ),
  },
  cancel: {
    words: 'Withdraw',
    look: 'danger',
    dialog: (props) => (
      <ReasonDialog
        {...props}
        title="Withdraw the request"
        done="Request withdrawn."
        verb="Withdraw"
        text="The request ends before the provider decides. You may send another request."
      />
    ),
  },
});

function NextOf({ state }: { readonly state: string | undefined }) {
  const isProvider = useRoles().has('provider');
  if (state !== 'requested') {
    return (
      <Note tone="info" title="The operation was sent to the ledger.">
        <p>The page shows the result as soon as the ledger has answered.</p>
      </Note>
    );
  }
  return isProvider ? (
    <Note tone="warn" title="The user waits for your decision.">
      <p>Accept the request to create an installation, or reject it with a reason.</p>
    </Note>
  ) : (
    <Note title="The provider decides.">
      <p>You need to do nothing until then. You may withdraw the request.</p>
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
      name="Request for an installation"
      list={{ to: PATHS.requests, name: 'Requests' }}
    >
      {({ data }) => (
        <LifePage
          kind="install-request"
          life={data}
          title="Request for an installation"
          list={{ to: PATHS.requests, name: 'Requests' }}
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
                To the installations
              </Link>
            ) : null
          }
        >
          <Section title="Facts" isCard>
            <Facts
              of={[
                ['User', <Party key="user" party={data.user} />],
                ['Provider', <Party key="provider" party={data.provider} />],
                ['Contract', <Id key="contract" id={data.contractId} what="contract ID" />],
              ]}
            />
            <MetaFacts title="Details from the user" data={data.meta.data ?? {}} />
          </Section>
        </LifePage>
      )}
    </One>
  );
}
