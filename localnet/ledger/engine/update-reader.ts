import { parseError } from '../../lf/errors.ts';
import type { Fields } from '../../lf/fields.ts';
import type { DefinitionId } from '../../lf/types.ts';
import type { Expression } from './expression.ts';
import { Collected, Constant } from './forms.ts';
import { Partial } from './functions.ts';
import type { Reader } from './reader.ts';
import { Act, Block, EmbeddedForm, Pure, TryForm } from './updates.ts';
import type { Call, EngineContext } from './updates.ts';
import { UNIT, wrongType } from './values.ts';
import type { Value } from './values.ts';

/** The numbers of the kinds of updates in the Daml-LF format. */
const UPDATE = {
  pure: 1,
  block: 2,
  create: 3,
  exercise: 4,
  fetch: 5,
  getTime: 6,
  embed: 7,
  fetchByKey: 9,
  exerciseByKey: 10,
  tryCatch: 11,
  createInterface: 12,
  exerciseInterface: 13,
  fetchInterface: 14,
  ledgerTimeLt: 15,
  queryNByKey: 16,
} as const;

function contractIdOf(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw wrongType('a contract ID');
}

/** Returns an update whose arguments are evaluated first. */
const acting = (
  parts: readonly Expression[],
  act: (context: EngineContext, args: readonly Value[]) => Value | Call,
): Expression =>
  new Collected(parts, (machine, args) => machine.give(new Act((context) => act(context, args))));

/** Returns an update in the form of a function of its arguments. */
const functionOf = (
  name: string,
  arity: number,
  act: (context: EngineContext, args: readonly Value[]) => Value,
): Expression =>
  new Constant(
    new Partial(
      {
        name,
        arity,
        execute: (machine, args) =>
          machine.give(new Act((context) => act(context, args.slice(0, arity)))),
      },
      [],
    ),
  );

type Read = (reader: Reader, fields: Fields) => Expression;

const exercising =
  (
    how: 'exercise' | 'exerciseInterface',
    choice: number,
    contractId: number,
    argument: number,
  ): Read =>
  (reader, fields) => {
    const target = reader.id(fields.span(1));
    const name = reader.text(fields.number(choice));
    const parts = [contractId, argument].map((part) => reader.expression(fields.span(part)));
    return acting(parts, (context, [id, given = UNIT]) =>
      context[how](target, contractIdOf(id), name, given),
    );
  };

const fetching =
  (how: 'fetch' | 'fetchInterface'): Read =>
  (reader, fields) => {
    const target = reader.id(fields.span(1));
    return acting([reader.expression(fields.span(2))], (context, [id]) =>
      context[how](target, contractIdOf(id)),
    );
  };

const byKey =
  (
    name: string,
    arity: number,
    act: (context: EngineContext, template: DefinitionId, args: readonly Value[]) => Value,
  ): Read =>
  (reader, fields) => {
    const template = reader.id(fields.span(1));
    return functionOf(name, arity, (context, args) => act(context, template, args));
  };

const READ: Readonly<Record<number, Read>> = {
  [UPDATE.pure]: (reader, fields) =>
    new Collected([reader.expression(fields.span(2))], (machine, [value = UNIT]) =>
      machine.give(new Pure(value)),
    ),
  [UPDATE.block]: (reader, fields) =>
    new Block(
      fields.spans(1).map((span) => reader.binding(span)),
      reader.expression(fields.span(2)),
    ),
  [UPDATE.create]: (reader, fields) => {
    const template = reader.id(fields.span(1));
    return acting([reader.expression(fields.span(2))], (context, [payload = UNIT]) =>
      context.create(template, payload),
    );
  },
  [UPDATE.createInterface]: (reader, fields) =>
    acting([reader.expression(fields.span(2))], (context, [value]) =>
      reader.code.createInterface(context, value),
    ),
  [UPDATE.exercise]: exercising('exercise', 6, 3, 5),
  [UPDATE.exerciseInterface]: exercising('exerciseInterface', 2, 3, 4),
  [UPDATE.fetch]: fetching('fetch'),
  [UPDATE.fetchInterface]: fetching('fetchInterface'),
  [UPDATE.embed]: (reader, fields) => new EmbeddedForm(reader.expression(fields.span(2))),
  [UPDATE.tryCatch]: (reader, fields) =>
    new TryForm(
      reader.expression(fields.span(2)),
      fields.number(3),
      reader.expression(fields.span(4)),
    ),
  [UPDATE.fetchByKey]: byKey('fetch_by_key', 1, (context, template, [key = UNIT]) =>
    context.fetchByKey(template, key),
  ),
  [UPDATE.queryNByKey]: byKey('query_n_by_key', 2, (context, template, [most, key = UNIT]) => {
    if (typeof most !== 'bigint') throw wrongType('a number of contracts');
    return context.queryByKey(template, key, most);
  }),
  [UPDATE.exerciseByKey]: (reader, fields) => {
    const template = reader.id(fields.span(1));
    const choice = reader.text(fields.number(2));
    const parts = [3, 4].map((part) => reader.expression(fields.span(part)));
    return acting(parts, (context, [key = UNIT, argument = UNIT]) =>
      context.exerciseByKey(template, key, choice, argument),
    );
  },
};

/** Reads an update. */
export function readUpdate(reader: Reader, fields: Fields): Expression {
  const [number] = fields.entries.slice(-4);
  if (number === UPDATE.getTime) return acting([], (context) => context.getTime());
  const inner = fields.span(number ?? 0);
  if (number === UPDATE.ledgerTimeLt) {
    return acting([reader.expression(inner)], (context, [time]) => {
      if (typeof time !== 'bigint') throw wrongType('a time');
      return context.isBefore(time);
    });
  }
  const read = READ[number ?? 0];
  if (read === undefined) throw parseError('Update.SUM_NOT_SET');
  return read(reader, reader.fields(inner));
}
