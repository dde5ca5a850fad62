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
import { ProviderOnly } from './provider-only.tsx';
import styles from './tenants.module.css';
import { TenantForm } from './tenant-form.tsx';

type Tenant = components['schemas']['TenantRegistration'];

const INTERNAL = 'This tenant belongs to the configuration and cannot be removed here.';

const NOT_HOSTED = 'No participant hosts this party, so its people see nothing.';

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
          {tenantId} {internal ? <Badge>Configured</Badge> : null}
        </h2>
        <Button
          look="danger"
          isSmall
          refused={internal ? INTERNAL : undefined}
          aria-label={`Remove ${tenantId}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
      <Facts
        of={[
          [
            'Party',
            <span key="party">
              <span title={partyId}>{partyName(partyId)}</span>{' '}
              <CopyButton text={partyId} what="party ID" />
              {hosted === false ? (
                <>
                  {' '}
                  <Badge tone="bad">Not hosted</Badge> <span>{NOT_HOSTED}</span>
                </>
              ) : null}
            </span>,
          ],
          ['Wallet', link(walletUrl)],
          ['Client', clientId],
          ['Issuer', link(issuerUrl)],
          ['People', users.length === 0 ? null : users.join(', ')],
        ]}
      />
    </article>
  );
}

function RemoveDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const url = `/admin/tenant-registrations/${encodeURIComponent(tenantId)}`;
  return (
    <OnceDialog
      title={`Remove ${tenantId}`}
      verb="Remove"
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
      <p>
        The tenant’s people can no longer sign in, and its issuer is no longer trusted. Its webhooks
        are deleted. Its licences stay on the ledger.
      </p>
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
      title="Tenants"
      lead="The parties that may use this API, with their wallets and sign-in."
      acts={
        <>
          <Button look="primary" icon="plus" onClick={() => open('add')}>
            Register a tenant
          </Button>
          <CopyAs url={addressOf('/admin/tenant-registrations', {})} />
        </>
      }
    >
      <Shown of={tenants}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="There are no tenants.">
              <p>Register the first tenant. Without a tenant, no user can sign in.</p>
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
    <ProviderOnly title="Tenants" needs="admin">
      <Tenants />
    </ProviderOnly>
  );
}
