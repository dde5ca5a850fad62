import { problemOf } from './problem.ts';

/**
 * Saves a list of the API as a CSV file with all its rows.
 *
 * @param url without `limit` and `cursor`, which would leave rows out
 * @throws ProblemError when the answer is another one; TypeError when there is none
 */
export async function downloadCsv(url: string, name: string): Promise<void> {
  const response = await fetch(url, {
    credentials: 'same-origin',
    headers: { accept: 'text/csv, application/problem+json' },
  });
  if (!response.ok) throw problemOf(response, await response.json().catch(() => null));
  const file = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = file;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(file);
}
