import { askControl } from './ledger-control.ts';
import { rowsOf } from './rows.ts';

/** Returns the ledger end of each participant. @throws Error if LocalNet cannot be reached */
export async function readLedgerEnds(networkUrl: string): Promise<ReadonlyMap<string, bigint>> {
  const { participants } = (await askControl(networkUrl, 'GET', 'ledger')) as {
    readonly participants: Readonly<Record<string, { readonly ledgerEnd: string }>>;
  };
  return new Map(
    Object.entries(participants).map(([name, { ledgerEnd }]) => [name, BigInt(ledgerEnd)]),
  );
}

interface Cursor {
  readonly stream: string;
  readonly offset: string;
}

/** Returns the participant of a stream, from the stream's name in the query store. */
const participantOf = (stream: string): string =>
  stream === 'updates' ? 'app-provider' : stream.replace('completions:', '');

/** Returns whether Tenure has read every stream past the given ledger end of its participant. */
export async function isFollowedBeyond(
  ends: ReadonlyMap<string, bigint>,
  databaseUrl: string,
): Promise<boolean> {
  const cursors = await rowsOf<Cursor>(
    databaseUrl,
    'select stream, "offset"::text from query_store_offset',
  );
  return cursors.every(({ stream, offset }) => {
    const end = ends.get(participantOf(stream));
    return end !== undefined && BigInt(offset) > end;
  });
}
