import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import type { Flags } from '../api/run.ts';
import { apiOf } from '../api/run.ts';
import { harmless } from '../output.ts';

/** Members of an event that a line shows, besides its state. */
const SHOWN = ['operation', 'code', 'expiresAt', 'settleBefore', 'fee', 'reason', 'commandId'];

const lineOf = (type: string, time: string, data: JsonRecord): string => {
  const what = type.replace(/^tenure\./u, '');
  const state = textAt(data, 'state') ?? '';
  const more = SHOWN.flatMap((name) => {
    const text = textAt(data, name);
    return text === undefined ? [] : [`${name} ${text}`];
  });
  return harmless([time, what, state, ...more].filter((part) => part !== '').join('  '));
};

/**
 * Prints the state of a licence, and then each of its events as a line, until the licence has ended or the person
 * interrupts. With `--json`, each line is a JSON document.
 */
export async function watch(id: string, flags: Flags): Promise<void> {
  const api = await apiOf(flags);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const read = async (more = ''): Promise<JsonRecord> => {
    const path = `/licenses/${encodeURIComponent(id)}${more}`;
    return JSON.parse((await api.call({ method: 'GET', path })).text) as JsonRecord;
  };
  const tell = (type: string, time: string, data: JsonRecord, whole: unknown): void =>
    console.log(flags.json === true ? JSON.stringify(whole) : lineOf(type, time, data));
  const lifecycleId = textAt(await read(), 'lifecycleId') ?? id;
  try {
    for await (const told of api.follow({ lifecycleId, signal: stopping.signal })) {
      if (told === 'open') {
        // The state is read after the stream has begun, so that no event between them is missed.
        const license = await read();
        tell('now', new Date().toISOString(), license, license);
        if (textAt(await read('/validate'), 'code') === 'ENDED') return;
      } else if (told === 'lost') {
        if (flags.json !== true) console.error('the connection was lost; connecting again');
      } else if (told.kind === 'gap') {
        console.error('some events are no longer stored: see tenure history');
      } else {
        const { event } = told;
        tell(event.type, event.time, event.data as JsonRecord, event);
        if (event.type === 'tenure.lifecycle.ended') return;
      }
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    stopping.abort();
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}
