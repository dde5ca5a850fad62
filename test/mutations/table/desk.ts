import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Mutations of operators' acts on attempts that were not answered, and of the end of attempts that were left open. */

const outage = (name: string) => test('integration', 'integration/http-after-outage', name);
const left = (name: string) => test('unit', 'unit/projector/ended-watch', name);

export const DESK: readonly Mutation[] = [
  {
    name: 'submitted-again-too-soon',
    file: 'src/app/desk/decide-doubt.ts',
    find: '  await requireAllOver(deciding);\n  await answerUndecided(deciding);\n  const deduplicationOffset',
    put: '  await answerUndecided(deciding);\n  const deduplicationOffset',
    breaks: 'the next refusal ends what an earlier attempt still does',
    found: test('integration', 'integration/doubts', 'nor is it submitted again before'),
  },
  {
    name: 'retried-though-accepted',
    file: 'src/app/engine/outcomes/no-effect.ts',
    find: 'if (accepted !== undefined) return',
    put: 'if (accepted?.n === 0) return',
    breaks: 'what ended as refused and took effect is done again',
    found: outage('and took effect all the same'),
  },
  {
    name: 'retried-though-carried',
    file: 'src/app/engine/outcomes/no-effect.ts',
    find: 'if (carried !== null) return',
    put: 'if (carried?.offset === 0n) return',
    breaks: 'what an update shows to have happened is done again',
    found: outage('and took effect all the same'),
  },
  {
    name: 'proved-by-what-was-not-read',
    file: 'src/app/engine/outcomes/no-effect.ts',
    find: 'if (gap !== null) return gap;',
    put: '',
    breaks: 'completions that were pruned unread are held to have told that nothing happened',
    found: outage('stays without a verdict'),
  },
  {
    name: 'one-retry-asked-about',
    file: 'src/app/desk/retry-change.ts',
    find: 'for (const { id } of [root, ...retries]) await hearAbout(deps, id, io);',
    put: 'if (retries.length >= 0) await hearAbout(deps, changeId, io);',
    breaks: 'what a retry is judged by is not asked about',
    found: outage('is asked about where it is itself a retry'),
  },
  {
    name: 'ended-never-heard',
    file: 'src/app/engine/outcomes/settle-ended.ts',
    find: 'if (contact !== null) await pin(ws, tx, change, contact);',
    put: '',
    breaks: 'what older versions left without a verdict never comes to one',
    found: left('it is heard'),
  },
  {
    name: 'effect-not-written-down',
    file: 'src/app/engine/outcomes/settle-ended.ts',
    find: 'if (applied !== null) settleEffect(',
    put: 'if (applied === null) return;\n  if (applied.offset === 0n) settleEffect(',
    breaks: 'that a refused operation took effect is told by nothing',
    found: outage('and took effect all the same'),
  },
  {
    name: 'ended-time-not-moved',
    file: 'src/projector/time-watch.ts',
    find: '[left, lost].filter(',
    put: '[lost].filter(',
    breaks: 'on a quiet synchronizer what was left never comes to its verdict',
    found: left('it is heard'),
  },
  {
    name: 'ended-looked-for-always',
    file: 'src/projector/ended-watch.ts',
    find: 'this.#restUntilMs = this.#deps.wallClock.nowMs() + restMs;',
    put: 'this.#restUntilMs = restMs;',
    breaks: 'everything that has failed is gone through again every few seconds',
    found: left('where nothing is without a verdict'),
  },
  {
    name: 'first-part-only',
    file: 'src/projector/ended-watch.ts',
    find: 'this.#after = after;',
    put: 'this.#after = null;',
    breaks: 'of many that were left only the first come to their verdict',
    found: left('of many a part'),
  },
  {
    name: 'pruned-though-accepted',
    file: 'src/store/desk/retention.ts',
    find: `a.change_id = c.id and a.verdict is distinct from 'refused'))`,
    put: `a.change_id = c.id and coalesce(a.verdict, 'unknown') = 'unknown'))`,
    breaks: 'what stops a retry of what took effect is pruned',
    found: test('integration', 'integration/store', 'a refusal of which an attempt is undecided'),
  },
  ...(
    [
      [
        'previewed-though-accepted',
        `when \${hasTakenEffect('c')} then 'the ledger has accepted the operation'\n`,
        'a retry is for what nothing can come of',
      ],
      [
        'previewed-beyond-retries',
        `when r.count >= \${LIMITS.retriesMax} then`,
        'what has been retried as often as it may be',
      ],
      ['previewed-against-the-store', 'and ${STANDS}', 'that it took effect is not decided of'],
      ['previewed-though-carried', 'when ${CARRIED} then', 'decided as submit-again is what'],
    ] as const
  ).map(([name, find, by]): Mutation => ({
    name,
    file: 'src/store/desk/bulk-judgement.ts',
    find,
    put: find.startsWith('and') ? 'and false' : find.replace(/^when .* then/u, 'when false then'),
    breaks: 'a preview counts as done what will be refused',
    found: test('integration', 'integration/store', by),
  })),
];
