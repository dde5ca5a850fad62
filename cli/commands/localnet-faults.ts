import { readFile } from 'node:fs/promises';
import { table } from '../table.ts';
import { askControl } from './localnet-control.ts';
import type { ControlOptions } from './localnet-control.ts';

interface Fault {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly matched: number;
  readonly struck: number;
}

const ask = <Answer>(options: ControlOptions, method: string, path: string, body?: string) =>
  askControl<Answer>(options, method, `/faults${path}`, body);

/** Lists the active faults, with the number of times that each has happened. */
export async function listFaults(options: ControlOptions): Promise<void> {
  const { faults } = await ask<{ faults: readonly Fault[] }>(options, 'GET', '');
  const rows = faults.map(({ id, kind, state, matched, struck }) => [
    id,
    kind,
    state,
    `${struck} of ${matched}`,
  ]);
  console.log(table(['ID', 'KIND', 'STATE', 'STRUCK'], rows));
}

/**
 * Adds faults and prints their IDs.
 *
 * @param json a fault, a script or a list of faults and scripts, as the control route accepts it; `@file` reads a file
 */
export async function addFault(json: string, options: ControlOptions): Promise<void> {
  const text = json.startsWith('@') ? await readFile(json.slice(1), 'utf8') : json;
  const told = JSON.parse(text) as unknown;
  for (const one of Array.isArray(told) ? told : [told]) {
    const { id } = await ask<Fault>(options, 'POST', '', JSON.stringify(one));
    console.log(id);
  }
}

/** Removes faults. @param id the fault or script to remove; absent: all faults and scripts */
export async function clearFaults(id: string | undefined, options: ControlOptions): Promise<void> {
  const path = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  const { removed } = await ask<{ removed: number }>(options, 'DELETE', path);
  console.log(`${removed} removed`);
}
