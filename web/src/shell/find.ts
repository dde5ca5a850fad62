import { read } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';

/** The page that an identifier leads to. */
export type Found =
  | {
      readonly kind: 'install-request' | 'install' | 'license' | 'renewal';
      readonly contractId: string;
    }
  | { readonly kind: 'operation'; readonly commandId: string }
  | { readonly kind: 'ops-operation'; readonly id: string; readonly commandId: string };

const CONTRACT_ID = /^00[0-9a-f]{30,}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/**
 * Matches the ID of a lifecycle. Its second half is a part of the lifecycle's first contract ID: see
 * src/app/engine/lanes/facts.ts.
 */
const LIFECYCLE_ID = /^(install-request|install|license|renewal)-[0-9a-f]{20,}$/u;

const ONE_OF = {
  'install-request': '/app-install-requests/{contractId}',
  install: '/app-installs/{contractId}',
  license: '/licenses/{contractId}',
  renewal: '/license-renewal-requests/{contractId}',
} as const;

const KINDS = [
  ['AppInstallRequest', 'install-request'],
  ['AppInstall', 'install'],
  ['LicenseRenewalRequest', 'renewal'],
  ['License', 'license'],
] as const;

/** Returns the resource; null if there is no such resource, or if the caller may not see it. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return null;
    throw error;
  }
}

async function byContract(contractId: string, signal: AbortSignal): Promise<readonly Found[]> {
  const answer = await orNull(read('/contracts/{contractId}', { path: { contractId } }, signal));
  if (answer === null) return [];
  const entity = answer.data.templateId.split(':').at(-1);
  const kind = KINDS.find(([name]) => name === entity)?.[1];
  return kind === undefined ? [] : [{ kind, contractId }];
}

/** Returns the page of a lifecycle, whose address accepts the lifecycle's ID in place of a contract ID. */
async function byLifecycle(id: string, signal: AbortSignal): Promise<readonly Found[]> {
  const kind = LIFECYCLE_ID.exec(id)?.[1] as keyof typeof ONE_OF | undefined;
  if (kind === undefined) return [];
  const answer = await orNull(read(ONE_OF[kind], { path: { contractId: id } }, signal));
  return answer === null ? [] : [{ kind, contractId: id }];
}

async function byCommand(commandId: string, signal: AbortSignal): Promise<readonly Found[]> {
  const own = await orNull(read('/operations', { query: { commandId } }, signal));
  return own === null ? [] : [{ kind: 'operation', commandId }];
}

async function ofDesk(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const asked = LIFECYCLE_ID.test(text)
    ? [{ commandId: text }, { lifecycleId: text }]
    : [{ commandId: text }];
  const [answers, byId] = await Promise.all([
    Promise.all(
      asked.map((query) =>
        orNull(read('/ops/operations', { query: { ...query, limit: '5' } as never }, signal)),
      ),
    ),
    UUID.test(text) ? orNull(read('/ops/operations/{id}', { path: { id: text } }, signal)) : null,
  ]);
  const operations = answers.flatMap((answer) => answer?.data ?? []);
  const named = byId === null ? operations : [byId.data, ...operations];
  return named.map(({ id, commandId }) => ({ kind: 'ops-operation' as const, id, commandId }));
}

/** Finds the pages for a contract ID, command ID, lifecycle ID or operation ID. */
export async function find(
  text: string,
  isOperator: boolean,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  if (CONTRACT_ID.test(text)) return byContract(text, signal);
  const found = await Promise.all([
    byLifecycle(text, signal),
    byCommand(text, signal),
    isOperator ? ofDesk(text, signal) : [],
  ]);
  return found.flat();
}
