import { OPERATIONS } from '../../domain/change.ts';
import type { Change, Operation } from '../../domain/change.ts';
import type { TemplateName } from '../../domain/ledger.ts';
import {
  ALLOCATION_REQUEST,
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_COMMENT,
  LICENSE_RENEWAL_REQUEST,
} from '../../domain/licensing.ts';
import type { LifecycleKind } from '../../domain/lifecycle.ts';
import { describe } from '../../../machines/registry.ts';
import { COMPLETE_RENEWAL } from './facts.ts';

/** Everything that tells one operation from another; behaviour is the same for all. */
export interface OperationRule {
  /** The lifecycle it is asked of; `null` for one that creates its contract. */
  readonly kind: LifecycleKind | null;
  /** The machine's action of this name decides who may and when; `null` for a create. */
  readonly action: string | null;
  /** The template, or the interface of which it is a choice. */
  readonly template: TemplateName;
  /** `null` for a create. */
  readonly choice: string | null;
  /** Whose signature the ledger needs: the caller's own, or the provider's. */
  readonly actAs: 'caller' | 'provider';
}

export const OPERATION_RULES: Readonly<Record<Operation, OperationRule>> = {
  'request-install': {
    kind: null,
    action: null,
    template: APP_INSTALL_REQUEST,
    choice: null,
    actAs: 'caller',
  },
  'accept-install-request': {
    kind: 'install-request',
    action: 'accept',
    template: APP_INSTALL_REQUEST,
    choice: 'AppInstallRequest_Accept',
    actAs: 'provider',
  },
  'reject-install-request': {
    kind: 'install-request',
    action: 'reject',
    template: APP_INSTALL_REQUEST,
    choice: 'AppInstallRequest_Reject',
    actAs: 'provider',
  },
  'cancel-install-request': {
    kind: 'install-request',
    action: 'cancel',
    template: APP_INSTALL_REQUEST,
    choice: 'AppInstallRequest_Cancel',
    actAs: 'caller',
  },
  'create-license': {
    kind: 'install',
    action: 'create-license',
    template: APP_INSTALL,
    choice: 'AppInstall_CreateLicense',
    actAs: 'provider',
  },
  'cancel-install': {
    kind: 'install',
    action: 'cancel',
    template: APP_INSTALL,
    choice: 'AppInstall_Cancel',
    actAs: 'provider',
  },
  'expire-license': {
    kind: 'license',
    action: 'expire',
    template: LICENSE,
    choice: 'License_Expire',
    actAs: 'provider',
  },
  'renew-license': {
    kind: 'license',
    action: 'renew',
    template: LICENSE,
    choice: 'License_Renew',
    actAs: 'provider',
  },
  'complete-renewal': {
    kind: 'renewal',
    action: 'complete',
    template: LICENSE_RENEWAL_REQUEST,
    choice: COMPLETE_RENEWAL,
    actAs: 'provider',
  },
  'withdraw-renewal': {
    kind: 'renewal',
    action: 'withdraw',
    template: ALLOCATION_REQUEST,
    choice: 'AllocationRequest_Withdraw',
    actAs: 'provider',
  },
  'comment-license': {
    kind: 'license',
    action: 'comment',
    template: LICENSE_COMMENT,
    choice: null,
    actAs: 'caller',
  },
};

/** The operation behind a machine's action. */
export const operationOf = (kind: LifecycleKind, action: string): Operation | undefined =>
  OPERATIONS.find(
    (operation) =>
      OPERATION_RULES[operation].kind === kind && OPERATION_RULES[operation].action === action,
  );

/** Whether an operation happens beside its lifecycle: see `LifecycleAction`. */
export function isAside(operation: Operation): boolean {
  const { kind, action } = OPERATION_RULES[operation];
  if (kind === null) return false;
  return describe(kind).actions.some(({ name, isAside: aside }) => name === action && aside);
}

/** Whether success ends the contract that it is exercised on: at most one of several attempts can have it then. */
export function endsItsContract({ operation }: Pick<Change, 'operation'>): boolean {
  return OPERATION_RULES[operation].choice !== null && operation !== 'renew-license';
}

/** The word a caller reads for a kind of lifecycle: the contract template's. */
export const KIND_WORD: Readonly<Record<LifecycleKind, string>> = {
  'install-request': 'AppInstallRequest',
  install: 'AppInstall',
  license: 'License',
  renewal: 'LicenseRenewalRequest',
};
