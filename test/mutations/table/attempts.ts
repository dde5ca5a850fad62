import type { Mutation } from '../mutation.ts';
import { sim, test } from '../mutation.ts';

/*
 * Mutations of code about attempts and their answers: ownership, attempts in flight, rights of the ledger user, doubts
 * in a rebuild.
 */

const wire = (name: string) => test('contract', 'contract/gateway-wire', name);
const doubts = (name: string) => test('integration', 'integration/doubts', name);
const outcomes = (name: string) => test('integration', 'integration/outcomes', name);
const rebuilt = test(
  'integration',
  'integration/projection-rebuild',
  'what was pruned before it was heard',
);

export const ATTEMPTS: readonly Mutation[] = [
  {
    name: 'user-by-command-id',
    file: 'src/ledger/gateway.ts',
    find: 'if (!hasEffect(command)) {',
    put: `if (!hasEffect(command) || request.commandId.startsWith('tenure:')) {`,
    breaks:
      'what an operator or a policy asked for is submitted as another ledger user than its row names',
    found: {
      ...sim('user-rotated', 'answer-lost', 'answer-late', 'call-lost', 'refused-after-doubt'),
      seed: 68,
    },
  },
  {
    name: 'retries-as-anybody',
    file: 'src/ledger/gateway.ts',
    find: 'if (!hasEffect(command)) {',
    put: `if (!hasEffect(command) || request.commandId.startsWith('tenure:retry:')) {`,
    breaks: 'after a rotation, a retry is submitted as another ledger user than its row names',
    found: test('model', 'model/resolver', 'bulk retries beside an undecided attempt'),
  },
  {
    name: 'creates-as-anybody',
    file: 'src/domain/ledger.ts',
    find: `kind === 'create' || kind === 'exercise';`,
    put: `kind === 'exercise';`,
    breaks: 'a create is submitted as another ledger user than its row names',
    found: wire('of another ledger user is not sent'),
  },
  {
    name: 'users-not-compared',
    file: 'src/doctor/invariants/ledger-users.ts',
    find: 'found.attempt.submitter.ledgerUser === ledgerUser',
    put: 'found.attempt.submitter.ledgerUser.length > 0',
    breaks: 'the doctor does not see an attempt that was submitted as another ledger user',
    found: test('unit', 'unit/doctor/invariants-of-proofs', 'completed for another ledger user'),
  },
  {
    name: 'in-flight-beside-another-is-a-no',
    file: 'src/app/engine/outcomes/outcomes.ts',
    find: `  ws.answerAttempt(from.submissionId, answerRow(from, times), reachOf(from));
  const opened`,
    put: `  const isOther = from.answer.class === 'in-flight' && others.some(isUndecided);
  const row = answerRow(from, times);
  ws.answerAttempt(from.submissionId, isOther ? { ...row, verdict: 'refused' } : row, reachOf(from));
  const opened`,
    breaks: 'an attempt that is delivered twice beside an undecided one is taken for refused',
    found: test(
      'model',
      'model/resolver',
      'a submission that was delivered twice beside a lost one',
    ),
  },
  {
    name: 'right-ends-operations',
    file: 'src/ledger/outcome.ts',
    find: `  PERMISSION_DENIED: {\n    class: 'credentials',`,
    put: `  PERMISSION_DENIED: {\n    class: 'refused',`,
    breaks: 'operations end for a right that our ledger user lacks',
    found: test('unit', 'unit/ledger/outcome', 'without ErrorInfo and with gRPC status'),
  },
  {
    name: 'one-right-stops-all',
    file: 'src/domain/participant-health.ts',
    find: `(kind === 'credentials' && code !== MAY_NOT_ACT_AS)`,
    put: `kind === 'credentials'`,
    breaks: 'a party that lost its right stops everything that goes through its participant',
    found: wire('refused for a right'),
  },
  {
    name: 'no-right-stops-nothing',
    file: 'src/ledger/gateway.ts',
    find: 'now === null || now.actAs.length === 0',
    put: 'now === null',
    breaks: 'a ledger user without any right opens no circuit',
    found: wire('refused for a right'),
  },
  {
    name: 'rights-as-remembered',
    file: 'src/ledger/gateway.ts',
    find: 'await rights.refresh(participant, 0,',
    put: 'await rights.refresh(participant, Infinity,',
    breaks: 'a right that was lost since is believed to be there',
    found: wire('refused for a right'),
  },
  {
    name: 'doubted-although-answered',
    file: 'src/app/engine/follow/reconcile.ts',
    find: '!isAnswered(submissionId)',
    put: `submissionId !== '' || !isAnswered(submissionId)`,
    breaks: 'a rebuild leaves an operation in doubt that the ledger has refused since',
    found: rebuilt,
  },
  {
    name: 'doubted-for-ever',
    file: 'src/app/engine/outcomes/outcomes.ts',
    find: 'attempts.some((one) => isUndecided(one) || one.answer?.ledgerCode === CODES.duplicate);',
    put: 'attempts.length >= 0;',
    breaks: 'a doubt stays although each attempt has a definite refusal',
    found: rebuilt,
  },
  {
    name: 'duplicate-not-doubted',
    file: 'src/app/engine/outcomes/outcomes.ts',
    find: ' || one.answer?.ledgerCode === CODES.duplicate);',
    put: ');',
    breaks: 'a doubt ends although the ledger accepted something under the command ID',
    found: doubts('a doubt about a duplicate stays'),
  },
  {
    name: 'bound-of-another-attempt',
    file: 'src/store/engine/claims.ts',
    find: 'cost = null,\n         over_at = null',
    put: 'cost = null',
    breaks:
      'an attempt inherits the bound of the unsent one whose row it takes, and is believed too early',
    found: test('integration', 'integration/unsent-tries', 'leaves no bound'),
  },
  {
    name: 'undecided-written-over',
    file: 'src/store/engine/claims.ts',
    find: 'case when a.unsent then 0 else 1 end as n',
    put: `case when a.unsent or a.verdict = 'unknown' then 0 else 1 end as n`,
    breaks: 'the row of an undecided attempt is taken by the next one',
    found: doubts('nor is one that is found in flight beside'),
  },
  {
    name: 'read-back-believed-unseen',
    file: 'src/app/engine/outcomes/outcomes.ts',
    find: 'acceptance: { updateId, offset, readBack: true },',
    put: 'acceptance: { updateId, offset, readBack: false },',
    breaks: 'what was only read back is believed where the store never sees it',
    found: doubts('what was read back and is never projected'),
  },
  {
    name: 'proof-by-wrong-clocks',
    file: 'src/app/engine/outcomes/settle.ts',
    find: '    if (!progress.isBelieved(change)) return;\n',
    put: '',
    breaks: 'a proof is believed while clocks are known to be apart',
    found: outcomes('a proof is not believed while'),
  },
  {
    name: 'late-completion-dropped',
    file: 'src/projector/projector.ts',
    find: `repeated: 'hand-on',`,
    put: `repeated: 'drop',`,
    breaks: 'a completion that comes late or again is dropped',
    found: test('integration', 'integration/projector-streams', 'what a participant tells again'),
  },
  {
    name: 'refusal-counted-twice',
    file: 'src/app/engine/follow/apply-ledger.ts',
    find: `  if (known?.verdict === 'refused' && known.offset === offset) return;\n`,
    put: '',
    breaks: 'a refusal that is told twice costs the budget twice',
    found: outcomes('a refusal that is told twice'),
  },
  {
    name: 'unread-proves',
    file: 'src/app/engine/outcomes/no-effect.ts',
    find: 'if (gap !== null) return gap;',
    put: '',
    breaks: 'what was never read proves that nothing took effect',
    found: doubts('what was never read proves nothing'),
  },
  {
    name: 'offset-of-another-stream',
    file: 'src/app/engine/requests/judge-request.ts',
    find: 'const deduplicationOffset = cursors.get(completionsStream(submitter.participant));',
    put: 'const deduplicationOffset = cursors.get(completionsStream(deps.hosting.projected));',
    breaks: 'a change is deduplicated from where the stream of another participant stands',
    found: test('unit', 'unit/app/request-change', 'is deduplicated from where its own'),
  },
];
