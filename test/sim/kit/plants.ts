import { trusted } from '../../../src/domain/ids.ts';
import type { CommandId } from '../../../src/domain/ids.ts';
import type { Plants } from './roles.ts';

/*
 * Bugs that the promise does not survive, planted at the borders of the product: the proof that the simulation can
 * fail, and names the right invariant.
 */

export interface Plant extends Plants {
  /** What is wrong, in words. */
  readonly what: string;
  /** Any of these must be among the findings. */
  readonly breaks: readonly string[];
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  'forgets-deduplication': {
    what: 'commands reach back no further than the ledger end of their submission',
    breaks: ['I4'],
    gateway: (gateway) => ({
      ...gateway,
      submit: async (request, io) => {
        const end = await gateway.ledgerEnd(request.submitter.participant, io).catch(() => null);
        if (end === null) return gateway.submit(request, io);
        return gateway.submit({ ...request, deduplicationOffset: end }, io);
      },
    }),
  },
  'new-command-ids': {
    what: 'each attempt has a command ID of its own',
    breaks: ['I4'],
    gateway: (gateway) => ({
      ...gateway,
      submit: (request, io) =>
        gateway.submit({ ...request, commandId: trusted<CommandId>(request.submissionId) }, io),
    }),
  },
};

export function plantOf(name: string | null): Plants {
  if (name === null) return {};
  const plant = PLANTS[name];
  if (plant === undefined)
    throw new RangeError(`no bug ${name}; there are ${Object.keys(PLANTS).join(', ')}`);
  return plant;
}
