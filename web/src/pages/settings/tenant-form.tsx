import { useState } from 'react';
import { WriteEnd, faultAt } from '../../acts/write-state.tsx';
import { useWrite } from '../../acts/use-write.ts';
import type { WriteState } from '../../acts/use-write.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';

interface Form {
  readonly tenantId: string;
  readonly partyId: string;
  readonly walletUrl: string;
  readonly clientId: string;
  readonly issuerUrl: string;
  readonly users: string;
}

const FIRST: Form = {
  tenantId: '',
  partyId: '',
  walletUrl: '',
  clientId: '',
  issuerUrl: '',
  users: '',
};

const URL = '/admin/tenant-registrations';

type AuthMode = 'oauth2' | 'shared-secret';

function bodyOf({ users, ...form }: Form, authMode: AuthMode): object {
  const { clientId, issuerUrl, ...common } = form;
  const names = users
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return authMode === 'oauth2' ? { ...common, clientId, issuerUrl } : { ...common, users: names };
}

/** The fields of conflicts. A conflict does not name its field, but its text shows which one it concerns. */
const CONFLICTS: readonly (readonly [RegExp, keyof Form])[] = [
  [/^TenantId already exists/u, 'tenantId'],
  [/^ClientId-IssuerUrl/u, 'clientId'],
  [/^TenantId and ClientId together/u, 'tenantId'],
  [/^User .* already exists/u, 'users'],
];

/** Returns the API's message for a field: a refusal that names the field, or a conflict that concerns it. */
function faultOf(state: WriteState, field: keyof Form): string | undefined {
  const named = faultAt(state, field);
  if (named !== undefined || state.kind !== 'refused') return named;
  const { code, message } = state.error;
  if (code !== 'TENANT_CONFLICT') return undefined;
  return CONFLICTS.find(([pattern]) => pattern.test(message))?.[1] === field ? message : undefined;
}

interface FieldsProps {
  readonly form: Form;
  readonly authMode: AuthMode;
  readonly state: WriteState;
  readonly onChange: (over: Partial<Form>) => void;
}

function Fields({ form, authMode, state, onChange }: FieldsProps) {
  const field = (name: keyof Form, label: string, hint: string, more: object = {}) => (
    <TextField
      label={label}
      hint={hint}
      value={form[name]}
      fault={faultOf(state, name)}
      onChange={(value) => onChange({ [name]: value })}
      {...more}
    />
  );
  return (
    <>
      {field('tenantId', 'Tenant', 'The tenant’s name in addresses and roles.', {
        autoFocus: true,
      })}
      {field('partyId', 'Party', 'On the ledger: hint::fingerprint.')}
      {field('walletUrl', 'Wallet', 'The wallet in which its people pay. Optional.', {
        type: 'url',
      })}
      {authMode === 'oauth2' ? (
        <>
          {field('clientId', 'Client', 'The client ID of Tenure at the issuer.')}
          {field(
            'issuerUrl',
            'Issuer',
            'The tenant’s authorization server. Tenure reads its metadata before it stores the tenant.',
            { type: 'url' },
          )}
        </>
      ) : (
        field('users', 'People', 'Names that may sign in, separated by commas.')
      )}
    </>
  );
}

interface TenantFormProps {
  readonly authMode: AuthMode;
  readonly onClose: () => void;
}

/** A form that registers a tenant. A refusal is shown at its field. */
export function TenantForm({ authMode, onClose }: TenantFormProps) {
  const [form, setForm] = useState(FIRST);
  const { state, send } = useWrite('tenant');
  const body = bodyOf(form, authMode);
  const isAtField =
    state.kind === 'refused' &&
    Object.keys(FIRST).some((name) => faultOf(state, name as keyof Form) !== undefined);
  const submit = async (): Promise<void> => {
    const end = await send({ method: 'POST', url: URL, body });
    if (end.kind === 'done') onClose();
  };
  return (
    <Dialog title="Register a tenant" onClose={onClose}>
      <form
        noValidate
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Fields
          form={form}
          authMode={authMode}
          state={state}
          onChange={(over) => setForm({ ...form, ...over })}
        />
        {isAtField ? null : <WriteEnd state={state} />}
        <DialogFoot>
          <CopyAs url={URL} method="POST" body={body} />
          <Button onClick={onClose}>{state.kind === 'unknown' ? 'Close' : 'Cancel'}</Button>
          {state.kind === 'unknown' ? null : (
            <Button look="primary" type="submit" isBusy={state.kind === 'sending'}>
              Register
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
