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
import * as t from '../../texts/renewals.tsx';
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
    [t.paidTo, <Party key="provider" party={provider} />],
    [t.paidBy, customer?.name ?? <Party key="user" party={user} />],
    [t.licence, licenseName(license)],
    [t.plan, planOf(license) ?? t.none],
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
        <dt>{hasEnded ? t.wasValidUntil : t.validUntil}</dt>
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
    [t.provider, license.provider],
    [t.user, license.user],
    [t.licence, license.lifecycleId ?? license.contractId],
    [t.contract, license.contractId],
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
          {t.updateWithId(<code>{updateId}</code>)}
          {offset === undefined ? null : t.offset(offset)}
        </p>
        {renewal === undefined ? null : (
          <p className={styles.small}>
            {description === '' ? '' : `${description}, `}
            {t.requestWithId(<code>{renewal.requestId}</code>)}
            {renewal.licenseLifecycleId === null
              ? null
              : t.ofLicence(<code>{renewal.licenseLifecycleId}</code>)}
          </p>
        )}
      </td>
      <td>{validUntil === undefined ? '' : <Time at={validUntil} as="short" />}</td>
      <td className={styles.end}>{renewal === undefined ? t.unknown : feeOf(renewal)}</td>
    </tr>
  );
}

function Payments({ paid }: { readonly paid: readonly PaidRenewal[] }) {
  if (paid.length === 0) {
    return <p>{t.noRenewalOfThisLicenceHas}</p>;
  }
  const isUntold = paid.some(({ renewal }) => renewal === undefined);
  return (
    <>
      {/* A region that scrolls must be reachable by keyboard. */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={t.paidRenewals}>
        <table className={styles.table}>
          <caption>{t.paidRenewals}</caption>
          <thead>
            <tr>
              <th scope="col">№</th>
              <th scope="col">{t.settled}</th>
              <th scope="col">{t.validUntilAfterTheRenewal}</th>
              <th scope="col" className={styles.end}>
                {t.fee}
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
      {isUntold ? <p className={styles.small}>{t.tenureDoesNotKnowTheFee}</p> : null}
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
        <p className={styles.small}>{t.feeAndExtensionWereSettledIn}</p>
        <p className={styles.small}>
          {t.asOf(<Time at={new Date(history.dataUpdatedAt).toISOString()} as="exact" />)}
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
    <One of={license} name={t.receipt} list={{ to: PATHS.licenses, name: t.licences }}>
      {({ data }) => (
        <Page
          title={t.receiptOfLicence(licenseName(data))}
          crumb={
            <Link to={PATHS.license} params={{ contractId }}>
              {t.licenceOf(licenseName(data))}
            </Link>
          }
          badge={
            endingOf('license', data.state) === null ? undefined : <Badge>{t.licenceEnded}</Badge>
          }
          acts={
            <span className={styles.noPrint}>
              <Button onClick={() => print()}>{t.print}</Button>
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
