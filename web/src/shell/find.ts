import { read } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';

/** What an identifier leads to. */
export type Found =
  | {
      readonly kind: 'install-request' | 'install' | 'license' | 'renewal';
      readonly contractId: string;
    }
  | { readonly kind: 'operation'; readonly commandId: string }
  | { readonly kind: 'ops-operation'; readonly id: string; readonly commandId: string };

const CONTRACT_ID = /^00[0-9a-f]{30,}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

const KINDS = [
  ['AppInstallRequest', 'install-request'],
  ['AppInstall', 'install'],
  ['LicenseRenewalRequest', 'renewal'],
  ['License', 'license'],
] as const;

/** Null where there is nothing of that kind, or nothing for this caller. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
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

async function byCommand(commandId: string, signal: AbortSignal): Promise<readonly Found[]> {
  const own = await orNull(read('/operations', { query: { commandId } }, signal));
  return own === null ? [] : [{ kind: 'operation', commandId }];
}

async function ofDesk(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const asked = UUID.test(text)
    ? [{ commandId: text }, { lifecycleId: text }]
    : [{ commandId: text }];
  const [answers, lives, byId] = await Promise.all([
    Promise.all(
      asked.map((query) =>
        orNull(read('/ops/commands', { query: { ...query, limit: '5' } as never }, signal)),
      ),
    ),
    UUID.test(text) ? orNull(read('/ops/lifecycles', {}, signal)) : null,
    UUID.test(text) ? orNull(read('/ops/commands/{id}', { path: { id: text } }, signal)) : null,
  ]);
  const operations = answers.flatMap((answer) => answer?.data ?? []);
  const named = byId === null ? operations : [byId.data, ...operations];
  const life = lives?.data.find(({ id }) => id === text);
  return [
    ...(life === undefined ? [] : [{ kind: life.kind, contractId: life.contractId }]),
    ...named.map(({ id, commandId }) => ({ kind: 'ops-operation' as const, id, commandId })),
  ];
}

/** Looks for what has this contract ID, command ID, lifecycle ID or operation ID. */
export async function find(
  text: string,
  isOperator: boolean,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  if (CONTRACT_ID.test(text)) return byContract(text, signal);
  const [own, desk] = await Promise.all([
    byCommand(text, signal),
    isOperator ? ofDesk(text, signal) : [],
  ]);
  return [...own, ...desk];
}
