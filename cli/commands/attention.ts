import type { JsonRecord } from '../../src/domain/json.ts';
import { isJsonRecord, textAt } from '../../src/domain/json.ts';
import type { ApiGroup, Column } from '../api/description.ts';
import { OPS } from '../api/ops.ts';
import type { Screen } from '../api/render.ts';
import { readExactly, renderRows } from '../api/render.ts';
import type { Flags } from '../api/run.ts';
import { apiOf, screenOf, tell } from '../api/run.ts';
import { WEBHOOKS } from '../api/webhooks.ts';

/** The groups of the digest with their titles, and the command that lists all entries of each group. */
const PARTS: readonly (readonly [name: string, title: string, group: ApiGroup, command: string])[] =
  [
    ['inDoubt', 'in doubt', OPS, 'in-doubt'],
    ['alarms', 'alarms', OPS, 'alarms'],
    ['failures', 'open failures', OPS, 'failures'],
    ['waiting', 'waiting', OPS, 'search'],
    ['pauses', 'stopped', OPS, 'pauses'],
    ['circuits', 'participants without submissions', OPS, 'pauses'],
    ['streams', 'streams behind', OPS, 'streams'],
    ['leases', 'leases without a holder', OPS, 'leases'],
    ['timers', 'timers given up', OPS, 'timers'],
    ['webhooks', 'failing webhooks', WEBHOOKS, 'list'],
  ];

const columnsOf = ({ commands }: ApiGroup, name: string): readonly Column[] | undefined =>
  commands.find(({ usage }) => usage.split(' ')[0] === name)?.columns;

/**
 * Formats the digest as text: a table for each part that has entries, and a line that names parts that could not be
 * read.
 */
export function attentionText(digest: JsonRecord, screen: Screen): string {
  const parts = PARTS.flatMap(([name, title, group, command]) => {
    const part = digest[name];
    if (!isJsonRecord(part) || !Array.isArray(part['items']) || part['items'].length === 0) {
      return [];
    }
    const count = `${part['more'] === true ? 'more than ' : ''}${textAt(part, 'count') ?? ''}`;
    const rows = renderRows(part['items'].filter(isJsonRecord), columnsOf(group, command), screen);
    return [`${title}: ${count}  (tenure ${group.name} ${command})\n${rows}`];
  });
  const { unavailable } = digest;
  const missing =
    Array.isArray(unavailable) && unavailable.length > 0
      ? [`could not be read: ${unavailable.map(String).join(', ')}`]
      : [];
  const told = parts.length === 0 ? ['nothing needs attention'] : parts;
  return [...told, ...missing].join('\n\n');
}

/** Prints everything that needs a person. */
export async function attention(flags: Flags): Promise<void> {
  const { text } = await (await apiOf(flags)).call({ method: 'GET', path: '/ops/attention' });
  if (flags.json === true) return tell([text], flags);
  const digest = readExactly(text);
  const shown = isJsonRecord(digest) ? digest : {};
  return console.log(attentionText(shown, screenOf(process.stdout)));
}
