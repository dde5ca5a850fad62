import { Link, useParams } from '@tanstack/react-router';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { History } from '../../chart/history.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CopyAs, Id, Party } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { Facts, Page, RawJson, Section } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { Actions } from './actions.tsx';
import type { Offer } from './actions.tsx';

type License = components['schemas']['License'];

interface DialogProps {
  readonly license: License;
  readonly href: string;
  readonly onClose: () => void;
}

function ExpireDialog({ license, href, onClose }: DialogProps) {
  const [description, setDescription] = useState('');
  return (
    <AskDialog
      form={`expire ${href}`}
      title={`Expire licence № ${license.licenseNum}`}
      label={`Expire licence № ${license.licenseNum}`}
      verb="Expire"
      look="danger"
      url={href}
      body={() => ({ meta: { data: description === '' ? {} : { description } } })}
      onClose={onClose}
    >
      <p>The licence ends for both sides, and its contract is archived on the ledger.</p>
      <TextField label="Why, for the other side" value={description} onChange={setDescription} />
    </AskDialog>
  );
}

const offersFor = (license: License): Readonly<Record<string, Offer>> => ({
  expire: {
    words: 'Expire',
    look: 'danger',
    dialog: (href, onClose) => <ExpireDialog license={license} href={href} onClose={onClose} />,
  },
});

export function LicensePage() {
  const { contractId } = useParams({ from: PATHS.license });
  const asked = { path: { contractId } };
  const license = useRead('/licenses/{contractId}', asked, { topics: ['license', 'renewal'] });
  const actions = useRead('/licenses/{contractId}/actions', asked, {
    topics: ['license', 'renewal', 'operation'],
  });
  const history = useRead('/licenses/{contractId}/history', asked, {
    topics: ['license', 'renewal'],
  });
  return (
    <Shown of={license}>
      {({ data }) => (
        <Page
          title={`Licence № ${data.licenseNum}`}
          crumb={<Link to={PATHS.licenses}>Licences</Link>}
          badge={
            data.isExpired ? <Badge tone="warn">Expired</Badge> : <Badge tone="good">Valid</Badge>
          }
          acts={
            <>
              <Actions actions={actions.data?.data ?? []} offers={offersFor(data)} />
              <CopyAs
                url={addressOf('/licenses/{contractId}', asked)}
                cli={`tenure licenses show ${contractId}`}
              />
            </>
          }
        >
          <Section title="Facts" isCard>
            <Facts
              of={[
                ['User', <Party key="user" party={data.user} />],
                ['Provider', <Party key="provider" party={data.provider} />],
                ['Valid until', <Time key="until" at={data.expiresAt} as="short" />],
                ['Contract', <Id key="contract" id={data.contractId} what="contract ID" />],
                ...Object.entries(data.params.meta?.data ?? {}).map(
                  ([name, value]) => [name, value] as const,
                ),
              ]}
            />
          </Section>
          <Section title="History" isCard>
            <Shown of={history}>{({ data: entries }) => <History entries={entries} />}</Shown>
          </Section>
          <RawJson value={data} />
        </Page>
      )}
    </Shown>
  );
}
