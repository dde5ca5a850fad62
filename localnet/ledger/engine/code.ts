import { dataTypeIn } from '../../lf/library.ts';
import type { Library } from '../../lf/library.ts';
import type { DefinitionId } from '../../lf/types.ts';
import { isExceeded } from './bounds.ts';
import type { Meter } from './bounds.ts';
import { as } from './builtin.ts';
import { exceptionOf, isArithmeticError } from './failures.ts';
import type { DamlFailure } from './failures.ts';
import type { Expression } from './expression.ts';
import { Environment } from './functions.ts';
import { KeptValues } from './kept-values.ts';
import { Machine } from './machine.ts';
import { PackageCode } from './package-code.ts';
import type { DefinedValue, InstanceCode, InterfaceCode, TemplateCode } from './package-code.ts';
import type { EngineContext } from './updates.ts';
import { InterfaceValue, LfRecord, wrongType } from './values.ts';
import type { Any, Value } from './values.ts';

/** A contract's implementation of one interface. */
interface Answers {
  method(machine: Machine, name: string): void;
  view(machine: Machine): void;
}

/** Templates that LocalNet runs natively, without the engine. Their values are converted for the engine. */
export interface Natives {
  /** Returns the signatories or observers of a contract; `undefined` if its template is not native. */
  parties(of: InterfaceValue, which: 'signatories' | 'observers', meter: Meter): Value | undefined;
  view(of: InterfaceValue, iface: DefinitionId, meter: Meter): Value | undefined;
  implements(template: DefinitionId, iface: DefinitionId): boolean;
  /** Converts a payload to another version of its template. */
  translate(from: DefinitionId, to: DefinitionId, payload: Value, meter: Meter): Value;
}

const textOf = ({ packageId, module, name }: DefinitionId): string =>
  `${packageId}:${module}:${name}`;

/** The code of all known packages. */
export class Code {
  readonly kept = new KeptValues();
  readonly #library: Library;
  readonly #natives: Natives;
  readonly #log: (message: string) => void;
  readonly #packages = new Map<string, PackageCode>();
  readonly #names = new Map<string, readonly string[]>();
  readonly #replaced = new Map<string, Expression>();

  constructor(library: Library, natives: Natives, log: (message: string) => void) {
    this.#library = library;
    this.#natives = natives;
    this.#log = log;
  }

  trace(message: string): void {
    this.#log(message);
  }

  #package(packageId: string): PackageCode {
    const known = this.#packages.get(packageId);
    if (known !== undefined) return known;
    const lf = this.#library.package(packageId);
    if (lf === undefined) throw new TypeError(`the code of package ${packageId} is not here`);
    const made = new PackageCode(lf, this);
    this.#packages.set(packageId, made);
    return made;
  }

  /** Replaces the value of a definition. */
  replace(id: DefinitionId, by: Expression): void {
    this.#replaced.set(textOf(id), by);
  }

  /** Returns the names and types of all values that a package defines. */
  valuesIn(packageId: string): Iterable<DefinedValue> {
    return this.#package(packageId).values();
  }

  value(id: DefinitionId): Expression {
    const replaced = this.#replaced.size > 0 ? this.#replaced.get(textOf(id)) : undefined;
    if (replaced !== undefined) return replaced;
    return required(this.#package(id.packageId).value(id.module, id.name), id);
  }

  template(id: DefinitionId): TemplateCode | undefined {
    if (this.#library.package(id.packageId) === undefined) return undefined;
    return this.#package(id.packageId).template(id);
  }

  interface(id: DefinitionId): InterfaceCode {
    return required(this.#package(id.packageId).interface(id), id);
  }

  packageName(packageId: string): string | undefined {
    return this.#library.package(packageId)?.name;
  }

  /** Returns the names of a record's fields, or of the constructors of a variant or an enum, in order. */
  fieldNames(id: DefinitionId): readonly string[] {
    const key = textOf(id);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const { shape } = required(dataTypeIn(this.#library, id), id);
    const parts =
      shape.kind === 'record'
        ? shape.fields.map(({ name }) => name)
        : shape.kind === 'variant'
          ? shape.constructors.map(({ name }) => name)
          : shape.kind === 'enum'
            ? shape.constructors
            : [];
    this.#names.set(key, parts);
    return parts;
  }

  fieldIndex(id: DefinitionId, name: string): number {
    const index = this.fieldNames(id).indexOf(name);
    if (index < 0) throw new TypeError(`${textOf(id)} has no ${name}`);
    return index;
  }

  constructorRank(id: DefinitionId, name: string): number {
    return this.fieldIndex(id, name);
  }

  /** Returns the failure that an exception causes if contract code does not catch it. */
  failureOf(exception: Any, meter: Meter): DamlFailure {
    return exceptionOf(exception, () => this.#messageOf(exception, meter));
  }

  #messageOf(exception: Any, meter: Meter): string {
    const { type, value } = exception;
    if (isArithmeticError(exception) && value instanceof LfRecord) {
      return as.text(value.fields[0]);
    }
    try {
      const text = new Machine(this, meter).run(this.#exceptionMessage(exception), undefined, [
        value,
      ]);
      return as.text(text);
    } catch (error) {
      if (isExceeded(error)) throw error;
      const name = type.kind === 'con' ? `${type.id.module}:${type.id.name}` : 'an exception';
      return `<Failed to calculate message as ${name} was thrown during conversion>`;
    }
  }

  #exceptionMessage({ type }: Any): Expression {
    if (type.kind !== 'con') throw wrongType('an exception');
    const { packageId, module, name } = type.id;
    return required(this.#package(packageId).exceptionMessage(module, name), type.id);
  }

  /** Starts the evaluation of an exception's text. */
  describe(machine: Machine, exception: Any): void {
    machine.push({ resume: (of, message) => of.apply(message, [exception.value]) });
    machine.evaluate(this.#exceptionMessage(exception), undefined);
  }

  #instanceOf(template: TemplateCode, iface: DefinitionId): InstanceCode | undefined {
    const wanted = textOf(iface);
    return template.instances.find((each) => textOf(each.iface) === wanted);
  }

  /** Returns whether a template implements an interface. */
  implements(templateId: DefinitionId, iface: DefinitionId): boolean {
    const template = this.template(templateId);
    if (template !== undefined && this.#instanceOf(template, iface) !== undefined) return true;
    return this.#natives.implements(templateId, iface);
  }

  /** Returns a contract's implementation of an interface. */
  instance(of: InterfaceValue, iface: DefinitionId): Answers {
    const nativeView = ({ meter }: Machine) => this.#natives.view(of, iface, meter);
    const template = this.template(of.template);
    const instance = template === undefined ? undefined : this.#instanceOf(template, iface);
    if (template === undefined || instance === undefined) {
      return {
        view: (machine) => machine.give(required(nativeView(machine), iface)),
        method: (_machine, name) => {
          throw new TypeError(
            `LocalNet runs ${textOf(of.template)} natively, and code asks for its method ${name}`,
          );
        },
      };
    }
    const scope = new Environment(template.param, of.payload, undefined);
    return {
      view: (machine) => {
        const native = nativeView(machine);
        if (native === undefined) machine.evaluate(instance.view, scope);
        else machine.give(native);
      },
      method: (machine, name) =>
        machine.evaluate(required(instance.methods.get(name), iface), scope),
    };
  }

  signatories(machine: Machine, of: InterfaceValue): void {
    this.#parties(machine, of, 'signatories');
  }

  observers(machine: Machine, of: InterfaceValue): void {
    this.#parties(machine, of, 'observers');
  }

  #parties(machine: Machine, of: InterfaceValue, which: 'signatories' | 'observers'): void {
    const native = this.#natives.parties(of, which, machine.meter);
    if (native !== undefined) {
      machine.give(native);
      return;
    }
    const template = required(this.template(of.template), of.template);
    machine.evaluate(template[which], new Environment(template.param, of.payload, undefined));
  }

  /**
   * Returns the payload of a contract that is accessed through an interface, if the contract has the wanted template,
   * in any version.
   */
  payloadAs(
    wanted: DefinitionId,
    { template, payload }: InterfaceValue,
    meter: Meter,
  ): Value | undefined {
    if (textOf(template) === textOf(wanted)) return payload;
    const isOther = template.module !== wanted.module || template.name !== wanted.name;
    const name = this.packageName(wanted.packageId);
    if (isOther || name === undefined || name !== this.packageName(template.packageId)) {
      return undefined;
    }
    return this.#natives.translate(template, wanted, payload, meter);
  }

  createInterface(context: EngineContext, value: Value | undefined): Value {
    if (!(value instanceof InterfaceValue)) throw wrongType('a value of an interface');
    return context.create(value.template, value.payload);
  }
}

function required<T>(found: T | undefined, id: DefinitionId): T {
  if (found === undefined) throw new TypeError(`there is no ${textOf(id)} in its package`);
  return found;
}
