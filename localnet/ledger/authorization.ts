import { LedgerError } from './ledger-error.ts';

export const partySet = (parties: Iterable<string>) => [...parties].sort().join(',');

export const authorizationError = (text: string) =>
  new LedgerError('DAML_AUTHORIZATION_ERROR', `Interpretation error: Error: ${text}`);

/** Throws DAML_AUTHORIZATION_ERROR unless all required parties have authorized a node. */
export function requireAuthorizers(
  { authorizers }: { readonly authorizers: ReadonlySet<string> },
  nodeId: number,
  typeOfNode: string,
  required: readonly string[],
  kind: 'signatories' | 'controllers' | 'authorizers' = 'authorizers',
): void {
  const place = `node NodeId(${nodeId}) (${typeOfNode})`;
  if (required.length === 0) throw authorizationError(`${place} has no ${kind}`);
  if (required.every((party) => authorizers.has(party))) return;
  throw authorizationError(
    `${place} requires authorizers ${partySet(required)}, but only ${partySet(authorizers)} were given`,
  );
}

/** Throws DAML_AUTHORIZATION_ERROR unless all maintainers of a contract's key are its signatories. */
export function requireSigningMaintainers(
  maintainers: readonly string[],
  signatories: readonly string[],
  nodeId: number,
  typeOfNode: string,
): void {
  if (maintainers.every((party) => signatories.includes(party))) return;
  throw authorizationError(
    `node NodeId(${nodeId}) (${typeOfNode}) has maintainers ${partySet(maintainers)} which are not a subset of the signatories ${partySet(signatories)}`,
  );
}
