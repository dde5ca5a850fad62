import { LedgerError } from './ledger-error.ts';

export const partySet = (parties: Iterable<string>) => [...parties].sort().join(',');

export const authorizationError = (text: string) =>
  new LedgerError('DAML_AUTHORIZATION_ERROR', `Interpretation error: Error: ${text}`);

/** DAML_AUTHORIZATION_ERROR unless all required parties have authorized a node. */
export function requireAuthorizers(
  { authorizers }: { readonly authorizers: ReadonlySet<string> },
  nodeId: number,
  typeOfNode: string,
  required: readonly string[],
): void {
  const place = `node NodeId(${nodeId}) (${typeOfNode})`;
  if (required.length === 0) throw authorizationError(`${place} has no authorizers`);
  if (required.every((party) => authorizers.has(party))) return;
  throw authorizationError(
    `${place} requires authorizers ${partySet(required)}, but only ${partySet(authorizers)} were given`,
  );
}
