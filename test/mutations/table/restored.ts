import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* A database that went back to an earlier state recognises what it has lost, and does nothing of it again. */

const restored = (name: string) => test('integration', 'integration/restored', name);

export const RESTORED: readonly Mutation[] = [
  {
    name: 'attempted-contracts-alone',
    file: 'src/app/engine/own-effect.ts',
    find: 'return id !== undefined && id === change.lifecycleId;',
    put: 'return false;',
    breaks: 'an effect whose attempt a restore has lost is not recognised',
    found: restored('recognises effects without attempts'),
  },
  {
    name: 'any-command-of-the-workflow',
    file: 'src/app/engine/own-effect.ts',
    find: `  if (applied.commandId !== '' && applied.commandId !== change.commandId) return false;\n`,
    put: '',
    breaks: 'another client’s command with our workflow ID counts as our effect',
    found: test('unit', 'unit/app/own-effect'),
  },
  {
    name: 'whoever-acted',
    file: 'src/app/engine/results.ts',
    find: '    isAmong(actingParties, change.submitter.actAs)\n      ? contractId',
    put: '    actingParties.length > 0\n      ? contractId',
    breaks: 'a choice that another party exercised counts as our effect',
    found: test('unit', 'unit/app/results'),
  },
  {
    name: 'mailboxes-left-alone',
    file: 'src/app/engine/apply-ledger.ts',
    find: `    if (change?.state === 'queued') await settleCarried(ws, tx, change, times);\n`,
    put: '',
    breaks: 'what waits in a restored mailbox and has taken effect is submitted again, or refused',
    found: restored('recognises effects without attempts'),
  },
  {
    name: 'refused-while-replaying',
    file: 'src/app/engine/apply-ledger.ts',
    find: `if (progress.isReplaying(change) && from.answer.class !== 'done') {`,
    put: 'if (batch.cursors.size === 0) {',
    breaks: 'a refusal ends an operation of which a lost attempt has taken effect',
    found: restored('decides nothing by refusals'),
  },
  {
    name: 'turned-away-while-replaying',
    file: 'src/app/engine/lane.ts',
    find: 'if (ws.isReplaying(next)) {',
    put: 'if (mailbox.waiting < 0) {',
    breaks: 'a restored mailbox refuses what the ledger is still to tell of',
    found: restored('keeps what its machine refuses'),
  },
  {
    name: 'refused-for-a-lost-one',
    file: 'src/app/engine/outcomes.ts',
    find: 'if (changeOfWorkflow(duplicate.workflowId) !== null) {',
    put: 'if (duplicate.offset < 0n) {',
    breaks: 'a duplicate of Tenure’s own is told as another client’s',
    found: restored('leaves a duplicate'),
  },
  {
    name: 'others-buried',
    file: 'src/app/engine/apply-ledger.ts',
    find: '&& cellOfSubmission(submissionId) !== null,',
    put: `&& submissionId !== '',`,
    breaks: 'the commands of other applications leave tombstones',
    found: restored('buries what it has lost'),
  },
  {
    name: 'known-buried',
    file: 'src/app/engine/lost-operations.ts',
    find: 'change === null && updateId !== null ? [{',
    put: 'updateId !== null ? [{',
    breaks: 'a command ID that the store knows leaves a tombstone',
    found: restored('buries what it has lost'),
  },
  {
    name: 'open-while-replaying',
    file: 'src/store/engine/cursors.ts',
    find: `coalesce(\${o}.replay_to > \${o}."offset", false)`,
    put: 'false',
    breaks: 'a restored store submits before the ledger has told what took effect',
    found: restored('submits nothing and accepts nothing'),
  },
  {
    name: 'open-after-a-start',
    file: 'src/store/engine/cursors.ts',
    find: `coalesce(\${o}.followed_on <> \${SERVER_START}, false)`,
    put: 'false',
    breaks: 'a restored store is taken for current until a projector has looked',
    found: restored('submits nothing and accepts nothing'),
  },
  {
    name: 'done-a-second-time',
    file: 'src/app/engine/judge-request.ts',
    find: '  if (updateId !== null) throw new ProblemError(tookEffect(commandId, updateId));\n',
    put: '',
    breaks: 'a command that a restore has lost takes effect a second time',
    found: test('unit', 'unit/app/request-change', 'a command whose operation is lost'),
  },
  {
    name: 'another-start-unseen',
    file: 'src/projector/bootstrap.ts',
    find: 'replays.get(name)?.isChecked === false);',
    put: 'replays.get(name) === undefined);',
    breaks: 'a database server that restarts between two batches keeps requests waiting for ever',
    found: test('integration', 'integration/projector-streams', 'that starts anew within a term'),
  },
];
