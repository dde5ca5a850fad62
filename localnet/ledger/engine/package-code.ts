import { readFields } from '../../lf/fields.ts';
import type { Fields, Span } from '../../lf/fields.ts';
import type { LfPackage } from '../../lf/package.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Code } from './code.ts';
import type { Expression } from './expression.ts';
import { Definition } from './forms.ts';
import type { KeptValues } from './kept-values.ts';
import { Reader } from './reader.ts';

/** The index of a variable's name, which identifies a variable in scope. */
type Name = number;

export interface ChoiceCode {
  readonly name: string;
  readonly isConsuming: boolean;
  readonly argumentName: Name;
  readonly argument: Type;
  readonly result: Type;
  readonly selfName: Name;
  readonly controllers: Expression;
  readonly observers: Expression | undefined;
  readonly update: Expression;
}

export interface InstanceCode {
  readonly iface: DefinitionId;
  readonly view: Expression;
  readonly methods: ReadonlyMap<string, Expression>;
}

export interface KeyCode {
  readonly type: Type;
  readonly key: Expression;
  /** The function that returns the maintainers of a key. */
  readonly maintainers: Expression;
}

export interface TemplateCode {
  readonly id: DefinitionId;
  readonly param: Name;
  readonly precondition: Expression | undefined;
  readonly signatories: Expression;
  readonly observers: Expression;
  readonly choices: ReadonlyMap<string, ChoiceCode>;
  readonly key: KeyCode | undefined;
  readonly instances: readonly InstanceCode[];
}

export interface InterfaceCode {
  readonly id: DefinitionId;
  readonly param: Name;
  readonly choices: ReadonlyMap<string, ChoiceCode>;
  readonly view: Type;
}

export interface DefinedValue {
  readonly module: string;
  readonly name: string;
  readonly type: Type;
}

const MODULE = { name: 1, values: 5, templates: 6, exceptions: 7, interfaces: 8 } as const;
const VALUE = { named: 2, body: 3 } as const;
const NAMED = { name: 1, type: 2 } as const;
const TEMPLATE = {
  name: 1,
  param: 2,
  precondition: 3,
  signatories: 4,
  choices: 6,
  observers: 7,
  key: 9,
  implements: 10,
} as const;
const CHOICE = {
  name: 2,
  isConsuming: 3,
  controllers: 4,
  observers: 5,
  argument: 6,
  result: 8,
  update: 9,
  self: 10,
} as const;
const INTERFACE = { name: 2, param: 4, choices: 5, view: 6 } as const;
const KEY = { type: 1, maintainers: 3, key: 4 } as const;
const IMPLEMENTS = { iface: 1, body: 2 } as const;
const BODY = { methods: 1, view: 2 } as const;
const METHOD = { name: 1, body: 2 } as const;
const EXCEPTION = { name: 1, message: 3 } as const;
const TYPED = { type: 2, name: 3 } as const;

/** The positions of a module's definitions in the package's bytes. */
interface ModuleIndex {
  readonly values: ReadonlyMap<string, Span>;
  readonly templates: ReadonlyMap<string, Span>;
  readonly exceptions: ReadonlyMap<string, Span>;
  readonly interfaces: ReadonlyMap<string, Span>;
}

type Sort = keyof ModuleIndex;

/** The code of one package. Definitions are decoded on demand. */
export class PackageCode {
  readonly #reader: Reader;
  readonly #kept: KeptValues;
  readonly #modules = new Map<string, Span>();
  readonly #indexes = new Map<string, ModuleIndex>();
  readonly #known = new Map<string, unknown>();

  constructor(lf: LfPackage, code: Code) {
    this.#reader = new Reader(lf, code);
    this.#kept = code.kept;
    for (const span of lf.tables.modules) {
      // If the name field occurs more than once, the last one counts, so the whole module must be read to find its
      // name.
      const name = lf.tables.dottedName(readFields(lf.payload, span, MODULE.values).number(1));
      this.#modules.set(name, span);
    }
  }

  *values(): Generator<DefinedValue> {
    for (const module of this.#modules.keys()) {
      for (const [name, span] of this.#index(module)?.values ?? []) {
        const named = this.#reader.fields(this.#reader.fields(span).span(VALUE.named));
        yield { module, name, type: this.#reader.type(named.span(NAMED.type)) };
      }
    }
  }

  value(module: string, name: string): Expression | undefined {
    return this.#definition(
      'values',
      module,
      name,
      (fields) => new Definition(this.#reader.expression(fields.span(VALUE.body)), this.#kept),
    );
  }

  /** Returns the function that computes the text of an exception. */
  exceptionMessage(module: string, name: string): Expression | undefined {
    return this.#definition('exceptions', module, name, (fields) =>
      this.#reader.expression(fields.span(EXCEPTION.message)),
    );
  }

  template(id: DefinitionId): TemplateCode | undefined {
    return this.#definition('templates', id.module, id.name, (fields) =>
      this.#template(id, fields),
    );
  }

  interface(id: DefinitionId): InterfaceCode | undefined {
    return this.#definition('interfaces', id.module, id.name, (fields) => ({
      id,
      param: fields.number(INTERFACE.param),
      choices: this.#choices(fields.spans(INTERFACE.choices)),
      view: this.#reader.type(fields.span(INTERFACE.view)),
    }));
  }

  #definition<D>(
    sort: Sort,
    module: string,
    name: string,
    read: (fields: Fields) => D,
  ): D | undefined {
    const key = `${sort} ${module}:${name}`;
    const known = this.#known.get(key) as D | undefined;
    if (known !== undefined) return known;
    const span = this.#index(module)?.[sort].get(name);
    if (span === undefined) return undefined;
    const definition = read(this.#reader.fields(span));
    this.#known.set(key, definition);
    return definition;
  }

  #index(module: string): ModuleIndex | undefined {
    const known = this.#indexes.get(module);
    const span = this.#modules.get(module);
    if (known !== undefined || span === undefined) return known;
    const fields = this.#reader.fields(span);
    const { tables } = this.#reader.lf;
    const byName = (field: number, nameIn: (fields: Fields) => number) =>
      new Map(
        fields
          .spans(field)
          .map((each) => [tables.dottedName(nameIn(this.#reader.fields(each))), each] as const),
      );
    const index: ModuleIndex = {
      values: byName(MODULE.values, (of) => this.#reader.fields(of.span(VALUE.named)).number(1)),
      templates: byName(MODULE.templates, (of) => of.number(TEMPLATE.name)),
      exceptions: byName(MODULE.exceptions, (of) => of.number(EXCEPTION.name)),
      interfaces: byName(MODULE.interfaces, (of) => of.number(INTERFACE.name)),
    };
    this.#indexes.set(module, index);
    return index;
  }

  #template(id: DefinitionId, fields: Fields): TemplateCode {
    const expression = (field: number) => this.#reader.expression(fields.span(field));
    const hasPrecondition = fields.span(TEMPLATE.precondition) !== undefined;
    const key = fields.span(TEMPLATE.key);
    return {
      id,
      param: fields.number(TEMPLATE.param),
      precondition: hasPrecondition ? expression(TEMPLATE.precondition) : undefined,
      signatories: expression(TEMPLATE.signatories),
      observers: expression(TEMPLATE.observers),
      choices: this.#choices(fields.spans(TEMPLATE.choices)),
      key: key === undefined ? undefined : this.#key(this.#reader.fields(key)),
      instances: fields.spans(TEMPLATE.implements).map((span) => this.#instance(span)),
    };
  }

  #key(fields: Fields): KeyCode {
    return {
      type: this.#reader.type(fields.span(KEY.type)),
      key: this.#reader.expression(fields.span(KEY.key)),
      maintainers: this.#reader.expression(fields.span(KEY.maintainers)),
    };
  }

  #instance(span: Span): InstanceCode {
    const reader = this.#reader;
    const fields = reader.fields(span);
    const body = reader.fields(fields.span(IMPLEMENTS.body));
    const methods = body.spans(BODY.methods).map((each) => {
      const of = reader.fields(each);
      return [
        reader.text(of.number(METHOD.name)),
        reader.expression(of.span(METHOD.body)),
      ] as const;
    });
    return {
      iface: reader.id(fields.span(IMPLEMENTS.iface)),
      view: reader.expression(body.span(BODY.view)),
      methods: new Map(methods),
    };
  }

  #choices(spans: readonly Span[]): ReadonlyMap<string, ChoiceCode> {
    const choices = spans.map((span) => this.#choice(this.#reader.fields(span)));
    return new Map(choices.map((choice) => [choice.name, choice]));
  }

  #choice(fields: Fields): ChoiceCode {
    const reader = this.#reader;
    const argument = reader.fields(fields.span(CHOICE.argument));
    const observers = fields.span(CHOICE.observers);
    return {
      name: reader.text(fields.number(CHOICE.name)),
      isConsuming: fields.number(CHOICE.isConsuming) !== 0,
      argumentName: argument.number(TYPED.name),
      argument: reader.type(argument.span(TYPED.type)),
      result: reader.type(fields.span(CHOICE.result)),
      selfName: fields.number(CHOICE.self),
      controllers: reader.expression(fields.span(CHOICE.controllers)),
      observers: observers === undefined ? undefined : reader.expression(observers),
      update: reader.expression(fields.span(CHOICE.update)),
    };
  }
}
