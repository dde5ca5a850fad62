import type { AskedOf, LastAnswers } from '../../../src/app/ports/last-answers.ts';
import type { Json } from '../../../src/domain/json.ts';

const keyOf = ({ participant, address, askedAs, question }: AskedOf): string =>
  JSON.stringify([participant, address, askedAs, question]);

/** Stores what `store/engine/last-answers` stores, but in a database that can always be reached. */
export function createMemoryLastAnswers(): LastAnswers {
  const kept = new Map<string, { readonly answer: Json; readonly at: string }>();
  return {
    recall: async (asked) => kept.get(keyOf(asked)) ?? null,
    async note(asked, answer) {
      kept.set(keyOf(asked), { answer, at: new Date().toISOString() });
    },
  };
}
