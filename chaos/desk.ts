import { setTimeout as sleep } from 'node:timers/promises';
import type { Broken } from './broken.ts';
import type { Answer, Caller } from './caller.ts';
import type { Draws } from './draws.ts';
import { rowsOf } from './rows.ts';

/*
 * An operator and a provider who work while faults happen. Operations are paused, cancelled in bulk and retried in
 * bulk, and the expiry policy is paused from time to time.
 */

export interface DeskParts {
  readonly caller: Caller;
  /** The licence on which the desk's operations act. */
  readonly license: string;
  readonly draws: Draws;
  /** The prefix of every command ID. */
  readonly prefix: string;
  /** When this signal is aborted, no new act is begun. */
  readonly drain: AbortSignal;
  /** When this signal is aborted, acts in progress end at once. */
  readonly signal: AbortSignal;
  readonly onBroken: (broken: Broken) => void;
}

const COMMENTS = 3;
const PAUSE_MS = [3_000, 9_000] as const;
const ACT_MS = 120_000;
const LOOK_MS = 500;
const PROMISE = 'an act on many operations is done to each of them once';

interface Act {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}

export class Desk {
  readonly #parts: DeskParts;
  readonly #prefix: string;
  /** How many acts were applied. */
  acts = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#prefix = `${parts.prefix}-desk-`;
  }

  async run(): Promise<void> {
    const { drain, signal, draws } = this.#parts;
    const resting = AbortSignal.any([drain, signal]);
    for (let round = 1; !resting.aborted; round += 1) {
      await this.#round(round);
      await sleep(draws.between(...PAUSE_MS), undefined, { signal: resting }).catch(
        () => undefined,
      );
    }
  }

  async #round(round: number): Promise<void> {
    const { caller } = this.#parts;
    const commandId = (n: number | '*'): string => `${this.#prefix}${round}-${n}`;
    const stop = { scope: 'operation', name: 'comment-license', reason: 'chaos' };
    const { body: pause } = await this.#ask('/ops/pauses', stop);
    for (let n = 1; n <= COMMENTS; n += 1) {
      const path = `/licenses/${this.#parts.license}/comments?commandId=${commandId(n)}`;
      await caller.ask('user', 'POST', path, { body: commandId(n) });
    }
    await this.#bulk('cancel', `cancel ${round}`, { commandId: commandId('*') });
    await this.#ask(`/ops/pauses/${pause.id}:resume`, { reason: 'chaos' });
    await this.#bulk('retry', `retry ${round}`, {
      commandId: commandId('*'),
      state: ['cancelled'],
    });
  }

  #ask(path: string, body: object): Promise<Answer> {
    return this.#parts.caller.ask('operator', 'POST', path, body);
  }

  /**
   * Previews and applies a bulk act, and waits for its end. If the matches change in between, it is previewed again.
   */
  async #bulk(action: 'cancel' | 'retry', name: string, filter: object): Promise<void> {
    const reason = `${this.#prefix}${name}`;
    for (;;) {
      const preview = await this.#ask('/ops/operations:preview', { action, filter, reason });
      const { count, token } = preview.body;
      if (preview.status !== 200) throw new Error(`a preview was answered ${preview.status}`);
      if (count === 0) return;
      const applied = await this.#ask('/ops/operations:apply', { token, count });
      if (applied.status !== 202 && applied.body.code === 'COUNT_MISMATCH') continue;
      this.acts += 1;
      // The answer to the request may have been lost. The act is then found by its reason, because the token cannot be
      // used a second time.
      return this.#awaitEnd(applied.status === 202 ? applied.body.id : await this.#named(reason));
    }
  }

  async #named(reason: string): Promise<string> {
    const { body } = await this.#parts.caller.get('operator', '/ops/acts');
    const act = (body as readonly Act[]).find((one) => one.reason === reason);
    if (act === undefined) throw new Error(`the act “${reason}” was refused, and is not there`);
    return act.id;
  }

  async #awaitEnd(id: string): Promise<void> {
    const { caller, signal, onBroken } = this.#parts;
    const giveUpMs = performance.now() + ACT_MS;
    while (performance.now() < giveUpMs) {
      const { body } = await caller.get('operator', `/ops/acts/${id}`);
      if ((body as Act).state === 'done') return;
      await sleep(LOOK_MS, undefined, { signal });
    }
    onBroken({ promise: PROMISE, evidence: `the act ${id} does not end` });
  }
}

/**
 * Finds bulk acts that have not ended, bulk acts with missing items, and items whose result does not agree with their
 * operation.
 */
const ACTS = `
  select a.id::text as what, 'has not ended, or has not all its items' as wrong from bulk_act a
  where a.state = 'running'
    or (a.state = 'done' and a.count <> (select count(*) from bulk_item i where i.act_id = a.id and i.state <> 'waiting'))
  union all
  select i.change_id::text, 'was cancelled and is not' from bulk_item i
    join bulk_act a on a.id = i.act_id join change c on c.id = i.change_id
  where a.action = 'cancel' and i.state = 'done' and c.state <> 'cancelled'
  union all
  select i.change_id::text, 'was tried again and was not' from bulk_item i join bulk_act a on a.id = i.act_id
  where a.action = 'retry' and i.state = 'done' and not exists (
    select from change c where c.id = i.result_change_id and c.command_id like 'tenure:retry:' || i.change_id || ':%')
  union all
  select i.change_id::text, 'is not once in the audit log' from bulk_item i
  where i.state = 'done' and 1 <> (
    select count(*) from audit t where t.change_id = i.change_id and t.detail ->> 'actId' = i.act_id::text)
  limit 20`;

/**
 * Finds operations whose comment is wrong on the ledger: an operation and all of its retries together must have written
 * the requested comment once or never.
 */
const SAID = `
  with asked as (
    select c.command_id, c.id from change c where c.command_id like $1
  ), done as (
    select q.command_id, count(*) filter (where c.state = 'succeeded') as good
    from asked q join change c on c.id = q.id or c.command_id like 'tenure:retry:' || q.id || ':%'
    group by q.command_id
  )
  select d.command_id as what, d.good || ' succeeded and it was said ' || s.times || ' times' as wrong
  from done d cross join lateral (
    select count(*) as times from contract k
    where k.template_fqn like '%:LicenseComment' and k.payload ->> 'body' = d.command_id) s
  where s.times <> d.good or d.good > 1
  limit 20`;

/**
 * Checks that each act of the desk had exactly one effect on each of its operations. @param prefix the prefix of the
 * run's command IDs
 */
export async function checkDesk(databaseUrl: string, prefix: string): Promise<Broken[]> {
  const rows = await Promise.all([
    rowsOf<{ what: string; wrong: string }>(databaseUrl, ACTS),
    rowsOf<{ what: string; wrong: string }>(databaseUrl, SAID, [`${prefix}-desk-%`]),
  ]);
  return rows.flat().map(({ what, wrong }) => ({ promise: PROMISE, evidence: `${what} ${wrong}` }));
}
