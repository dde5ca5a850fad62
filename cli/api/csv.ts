import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Api, Call } from './client.ts';

/** Writes the CSV form of a list to standard output, as fast as the output accepts it. @throws CommandError */
export async function writeCsv(api: Api, asked: Call, limit: number | undefined): Promise<void> {
  const query = new URLSearchParams(asked.query);
  if (limit !== undefined) query.set('limit', String(limit));
  const body = await api.file({ ...asked, query, headers: { accept: 'text/csv' } });
  await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
}
