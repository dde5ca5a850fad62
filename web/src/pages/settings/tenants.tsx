import { useNavigate, useSearch } from '@tanstack/react-router';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, CopyButton, partyName } from '../../parts/copy.tsx';
import { Facts, Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { WebLink } from '../../parts/web-link.tsx';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/settings.ts';
import { ProviderOnly } from './provider-only.tsx';
import styles from './tenants.module.css';
import { TenantForm } from './tenant-form.tsx';

type Tenant = components['schemas']['TenantRegistration'];

const INTERNAL = t.thisTenantBelongsToThe;

const NOT_HOSTED = t.noParticipantHostsThisPartySo;

const link = (url: string | null) => (url === null ? null : <WebLink href={url}>{url}</WebLink>);

interface TenantCardProps {
  readonly tenant: Tenant;
  readonly onRemove: () => void;
}

function TenantCard({ tenant, onRemove }: TenantCardProps) {
  const { tenantId, partyId, clientId, issuerUrl, walletUrl, users, internal, hosted } = tenant;
  return (
    <article className={styles.tenant}>
      <div className={styles.head}>
        <h2>
          {tenantId} {internal ? <Badge>{t.configured}</Badge> : null}
        </h2>
        <Button
          look="danger"
          isSmall
          refused={internal ? INTERNAL : undefined}
          aria-label={t.removeTenant(tenantId)}
          onClick={onRemove}
        >
          {t.remove}
        </Button>
      </div>
      <Facts
        of={[
          [
            t.party,
            <span key="party">
              <span title={partyId}>{partyName(partyId)}</span>{' '}
              <CopyButton text={partyId} what={t.partyId} />
              {hosted === false ? (
                <>
                  {' '}
                  <Badge tone="bad">{t.notHosted}</Badge> <span>{NOT_HOSTED}</span>
                </>
              ) : null}
            </span>,
          ],
          [t.wallet, link(walletUrl)],
          [t.client, clientId],
          [t.issuer, link(issuerUrl)],
          [t.people, users.length === 0 ? null : users.join(', ')],
        ]}
      />
    </article>
  );
}

function RemoveDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const url = `/admin/tenant-registrations/${encodeURIComponent(tenantId)}`;
  return (
    <OnceDialog
      title={t.removeTenant(tenantId)}
      verb={t.remove}
      look="danger"
      url={url}
      preview={`${url}/preview-delete`}
      writeOf={(reason, { token, count }) => ({
        method: 'DELETE',
        url: `${url}?${new URLSearchParams({ token, count: String(count), reason }).toString()}`,
      })}
      topics={['tenant']}
      onClose={onClose}
    >
      <p>{t.theTenantsPeopleCanNoLonger}</p>
    </OnceDialog>
  );
}

const REMOVE = 'remove:';

function Tenants() {
  const { act } = useSearch({ from: PATHS.tenants });
  const navigate = useNavigate({ from: PATHS.tenants });
  const tenants = useRead(
    '/admin/tenant-registrations',
    {},
    { topics: ['tenant'], everyMs: 60_000 },
  );
  const flags = useRead('/feature-flags');
  const open = (name: string | undefined): void =>
    void navigate({ search: name === undefined ? {} : { act: name } });
  const removed = act?.startsWith(REMOVE) === true ? act.slice(REMOVE.length) : undefined;
  const isThere = tenants.data?.data.some(({ tenantId }) => tenantId === removed) === true;
  return (
    <Page
      title={t.tenants}
      lead={t.thePartiesThatMayUseThis}
      acts={
        <>
          <Button look="primary" icon="plus" onClick={() => open('add')}>
            {t.registerATenant}
          </Button>
          <CopyAs url={addressOf('/admin/tenant-registrations', {})} />
        </>
      }
    >
      <Shown of={tenants}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.thereAreNoTenants}>
              <p>{t.registerTheFirstTenantWithoutA}</p>
            </Empty>
          ) : (
            <div className={styles.tenants}>
              {data.map((tenant) => (
                <TenantCard
                  key={tenant.tenantId}
                  tenant={tenant}
                  onRemove={() => open(REMOVE + tenant.tenantId)}
                />
              ))}
            </div>
          )
        }
      </Shown>
      {act === 'add' && flags.data !== undefined ? (
        <TenantForm authMode={flags.data.data.authMode} onClose={() => open(undefined)} />
      ) : null}
      {removed !== undefined && isThere ? (
        <RemoveDialog tenantId={removed} onClose={() => open(undefined)} />
      ) : null}
    </Page>
  );
}

/** The page of tenants, with the ways in which their people sign in. */
export function TenantsPage() {
  return (
    <ProviderOnly title={t.tenants} needs="admin">
      <Tenants />
    </ProviderOnly>
  );
}
