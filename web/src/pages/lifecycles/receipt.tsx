import { Link, useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { stableId, useHistory } from './life.tsx';
import { descriptionWords, licenseName, planOf } from '../../parts/license-words.ts';
import { One } from '../../parts/one.tsx';
import { endingOf } from '../../parts/life-words.ts';
import { usePaidRenewals } from './paid-renewals.ts';
import type { PaidRenewal } from './paid-renewals.ts';
import styles from './receipt.module.css';
import { feeOf } from './renewal-terms.tsx';

type License = components['schemas']['License'];

function Parties({ license }: { readonly license: License }) {
  const { provider, user, customer } = license;
  const hasEnded = endingOf('license', license.state) !== null;
  const facts = [
    ['Paid to', <Party key="provider" party={provider} />],
    ['Paid by', customer?.name ?? <Party key="user" party={user} />],
    ['Licence', licenseName(license)],
    ['Plan', planOf(license) ?? 'None'],
  ] as const;
  return (
    <dl className={styles.parties}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>{hasEnded ? 'Was valid until' : 'Valid until'}</dt>
        <dd>
          <Time at={license.expiresAt} as="exact" />
        </dd>
      </div>
      {Object.entries(license.params.meta?.data ?? {}).map(([name, value]) => (
        <div key={`meta ${name}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Identifiers that both parties can look up on the ledger. */
function References({ license }: { readonly license: License }) {
  const ids = [
    ['Provider', license.provider],
    ['User', license.user],
    ['Licence', license.lifecycleId ?? license.contractId],
    ['Contract', license.contractId],
  ] as const;
  return (
    <>
      {ids.map(([name, id]) => (
        <p key={name} className={styles.small}>
          {name} <code>{id}</code>
        </p>
      ))}
    </>
  );
}

function Row({ paid, number }: { readonly paid: PaidRenewal; readonly number: number }) {
  const { at, updateId, offset, validUntil, renewal } = paid;
  const description = descriptionWords(renewal?.description ?? '');
  return (
    <tr>
      <td>{number}</td>
      <td>
        <Time at={at} as="exact" />
        <p className={styles.small}>
          update <code>{updateId}</code>
          {offset === undefined ? null : `, offset ${offset}`}
        </p>
        {renewal === undefined ? null : (
          <p className={styles.small}>
            {description === '' ? '' : `${description}, `}
            request <code>{renewal.requestId}</code>
            {renewal.licenseLifecycleId === null ? null : (
              <>
                , of licence <code>{renewal.licenseLifecycleId}</code>
              </>
            )}
          </p>
        )}
      </td>
      <td>{validUntil === undefined ? '' : <Time at={validUntil} as="short" />}</td>
      <td className={styles.end}>{renewal === undefined ? 'unknown' : feeOf(renewal)}</td>
    </tr>
  );
}

function Payments({ paid }: { readonly paid: readonly PaidRenewal[] }) {
  if (paid.length === 0) {
    return <p>No renewal of this licence has been paid.</p>;
  }
  const isUntold = paid.some(({ renewal }) => renewal === undefined);
  return (
    <>
      {/* A region that scrolls must be reachable by keyboard. */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label="Paid renewals">
        <table className={styles.table}>
          <caption>Paid renewals</caption>
          <thead>
            <tr>
              <th scope="col">№</th>
              <th scope="col">Settled</th>
              <th scope="col">Valid until, after the renewal</th>
              <th scope="col" className={styles.end}>
                Fee
              </th>
            </tr>
          </thead>
          <tbody>
            {paid.map((one, at) => (
              <Row key={one.updateId} paid={one} number={at + 1} />
            ))}
          </tbody>
        </table>
      </div>
      {isUntold ? (
        <p className={styles.small}>
          Tenure does not know the fee of renewals that were settled before Tenure followed the
          ledger. The ledger update and the history of both wallets have the fee.
        </p>
      ) : null}
    </>
  );
}

function Paper({ license }: { readonly license: License }) {
  const history = useHistory('license', stableId(license));
  const paid = usePaidRenewals(license, history.data?.data);
  return (
    <article className={styles.paper}>
      <Parties license={license} />
      <Shown of={history} lines={3}>
        {() => <Payments paid={paid} />}
      </Shown>
      <div className={styles.foot}>
        <References license={license} />
        <p className={styles.small}>
          Fee and extension were settled in one ledger transaction each. Both sides can look the
          updates up at their participants. Offsets are those of the participant that Tenure
          follows.
        </p>
        <p className={styles.small}>
          As of <Time at={new Date(history.dataUpdatedAt).toISOString()} as="exact" />.
        </p>
      </div>
    </article>
  );
}

/** A printable page with a licence and its payments. */
export function ReceiptPage() {
  const { contractId } = useParams({ from: PATHS.receipt });
  const asked = { path: { contractId } };
  const license = useRead('/licenses/{contractId}', asked, { topics: ['license'] });
  return (
    <One of={license} name="Receipt" list={{ to: PATHS.licenses, name: 'Licences' }}>
      {({ data }) => (
        <Page
          title={`Receipt of licence ${licenseName(data)}`}
          crumb={
            <Link to={PATHS.license} params={{ contractId }}>
              Licence {licenseName(data)}
            </Link>
          }
          badge={
            endingOf('license', data.state) === null ? undefined : <Badge>Licence ended</Badge>
          }
          acts={
            <span className={styles.noPrint}>
              <Button onClick={() => print()}>Print</Button>
              <CopyAs
                url={addressOf('/licenses/{contractId}/history', asked)}
                cli={`tenure licenses history ${contractId}`}
              />
            </span>
          }
        >
          <Paper license={data} />
        </Page>
      )}
    </One>
  );
}
