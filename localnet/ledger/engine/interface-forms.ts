import type { Fields, Span } from '../../lf/fields.ts';
import { interpreterRefusal, wronglyTyped } from '../interpretation-errors.ts';
import { as } from './builtin.ts';
import type { Expression } from './expression.ts';
import { Collected, unary } from './forms.ts';
import type { Reader } from './reader.ts';
import { InterfaceValue, NONE, optionalOf, Some, TypeRep, wrongType } from './values.ts';
import type { Value } from './values.ts';

function asInterface(value: Value | undefined): InterfaceValue {
  if (value instanceof InterfaceValue) return value;
  throw wrongType('a value of an interface');
}

const qualified = ({ packageId, module, name }: InterfaceValue['template']): string =>
  `${packageId}:${module}:${name}`;

/** Returns an expression on an interface value whose result needs further evaluation. */
const onInterface = (
  part: Expression,
  evaluate: (value: InterfaceValue, machine: Parameters<Expression['evaluate']>[0]) => void,
): Expression => new Collected([part], (machine, [value]) => evaluate(asInterface(value), machine));

const parts = (reader: Reader, fields: Fields, ...numbers: readonly number[]): Expression[] =>
  numbers.map((number) => reader.expression(fields.span(number)));

type Read = (reader: Reader, fields: Fields, inner: Span) => Expression;

/** The expressions by their numbers in the Daml-LF format. */
export const FORMS: Readonly<Record<number, Read>> = {
  33: (reader, fields) => {
    const template = reader.id(fields.span(2));
    return unary(
      reader.expression(fields.span(3)),
      (payload) => new InterfaceValue(template, payload),
    );
  },
  34: (reader, fields) => {
    const template = reader.id(fields.span(2));
    return onInterface(reader.expression(fields.span(3)), (value, machine) =>
      machine.give(optionalOf(reader.code.payloadAs(template, value, machine.meter))),
    );
  },
  35: (reader, fields) => {
    const iface = reader.id(fields.span(1));
    const method = reader.text(fields.number(2));
    return onInterface(reader.expression(fields.span(3)), (value, machine) =>
      reader.code.instance(value, iface).method(machine, method),
    );
  },
  36: (reader, fields) =>
    onInterface(reader.expression(fields.span(2)), (value, machine) =>
      reader.code.signatories(machine, value),
    ),
  37: (reader, fields) =>
    onInterface(reader.expression(fields.span(2)), (value, machine) =>
      reader.code.observers(machine, value),
    ),
  38: (reader, fields) => {
    const iface = reader.id(fields.span(1));
    return onInterface(reader.expression(fields.span(2)), (value, machine) =>
      reader.code.instance(value, iface).view(machine),
    );
  },
  39: (reader, fields) => {
    const template = reader.id(fields.span(2));
    return new Collected(parts(reader, fields, 3, 4), (machine, [contractId, value]) => {
      const of = asInterface(value);
      if (qualified(of.template) === qualified(template)) return machine.give(of.payload);
      throw wronglyTyped(as.text(contractId), qualified(template), qualified(of.template));
    });
  },
  40: (reader, fields) =>
    unary(
      reader.expression(fields.span(2)),
      (value) => new TypeRep({ kind: 'con', id: asInterface(value).template }),
    ),
  // No conversion is needed: a template that implements this interface also implements every interface that this
  // interface requires.
  41: (reader, fields) => reader.expression(fields.span(3)),
  42: (reader, fields) => {
    const requiring = reader.id(fields.span(2));
    return unary(reader.expression(fields.span(3)), (value) =>
      reader.code.implements(asInterface(value).template, requiring) ? new Some(value) : NONE,
    );
  },
  43: (reader, fields) => {
    const [required, requiring] = [reader.id(fields.span(1)), reader.id(fields.span(2))];
    return new Collected(parts(reader, fields, 3, 4), (machine, [contractId, value]) => {
      const of = asInterface(value);
      if (reader.code.implements(of.template, requiring)) return machine.give(of);
      throw interpreterRefusal(
        'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
        `Update failed due to contract ${as.text(contractId)} not implementing the requiring interface\n  Expected contract to implement interface ${qualified(requiring)} requirring the interface ${qualified(required)} but contract has type ${qualified(of.template)}`,
      );
    });
  },
};
