import { Visitor, parseSync } from 'oxc-parser';
import type {
  Expression,
  Function as FunctionNode,
  ParamPattern,
  PropertyKey,
  Statement,
  TSType,
  TSTypeAnnotation,
} from 'oxc-parser';

/*
 * Checks of signatures: string parameters must have distinct types, names of times must contain the unit, and calls
 * must have a deadline.
 */

type Annotated = { readonly typeAnnotation?: TSTypeAnnotation | null };

const typeOf = ({ typeAnnotation }: Annotated): TSType | undefined =>
  typeAnnotation?.typeAnnotation;

/** Returns a parameter without its default value and without an accessibility modifier. */
function bare(parameter: ParamPattern): Annotated & { readonly name?: string } {
  const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  if (inner.type === 'AssignmentPattern') return inner.left;
  return inner;
}

const isString = (parameter: ParamPattern): boolean =>
  typeOf(bare(parameter))?.type === 'TSStringKeyword';

const takesTwoStrings = (parameters: readonly ParamPattern[]): boolean =>
  parameters.some((each, at) => {
    const before = parameters[at - 1];
    return before !== undefined && isString(before) && isString(each);
  });

type Callable = Pick<FunctionNode, 'params'>;
const isFunction = (node: Expression | null): node is Expression & Callable =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** Returns the functions that a statement exports, with their names. */
function exportedBy(statement: Statement): readonly (readonly [string, Callable])[] {
  if (statement.type !== 'ExportNamedDeclaration') return [];
  const { declaration } = statement;
  if (declaration?.type === 'FunctionDeclaration') {
    return [[declaration.id?.name ?? '', declaration]];
  }
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && isFunction(init) ? [[id.name, init] as const] : [],
  );
}

/**
 * Returns the exported functions that have two string parameters one after another, which callers could swap, as `file:
 * name`.
 */
export const twoStrings = (file: string, source: string): readonly string[] =>
  parseSync(file, source)
    .program.body.flatMap(exportedBy)
    .flatMap(([name, { params }]) => (takesTwoStrings(params) ? [`${file}: ${name}`] : []));

const WITHOUT_UNIT = /(?:timeout|delay|ttl|interval)$/iu;

/** Returns properties, parameters and constants that are numbers and have a name of a time without its unit. */
export function withoutUnit(file: string, source: string): readonly string[] {
  const found: string[] = [];
  const look = (name: string | undefined, isNumber: boolean): void => {
    if (isNumber && name !== undefined && WITHOUT_UNIT.test(name)) found.push(`${file}: ${name}`);
  };
  const nameOf = (key: PropertyKey) => (key.type === 'Identifier' ? key.name : undefined);
  const isNumber = (node: Annotated): boolean => typeOf(node)?.type === 'TSNumberKeyword';
  new Visitor({
    TSPropertySignature: (node) => look(nameOf(node.key), isNumber(node)),
    PropertyDefinition: (node) => look(nameOf(node.key), isNumber(node)),
    Identifier: (node) => look(node.name, isNumber(node)),
    VariableDeclarator: ({ id, init }) =>
      look(
        id.type === 'Identifier' ? id.name : undefined,
        init?.type === 'Literal' && typeof init.value === 'number',
      ),
  }).visit(parseSync(file, source).program);
  return found;
}

const referred = (type: TSType | undefined): string =>
  type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.name : '';

/**
 * The parameters by which a call can be limited, by its return type. A stream lasts long, so it has a signal and no
 * deadline.
 */
const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  Promise: ['Io'],
  AsyncIterable: ['Io', 'AbortSignal'],
};

/**
 * Returns methods of ports that wait but cannot be ended, as `file: interface.method`. An interface whose name ends in
 * `Tx` belongs to a transaction, whose limits were set when it was opened.
 */
export function unbounded(file: string, source: string): readonly string[] {
  return parseSync(file, source).program.body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    if (declaration?.type !== 'TSInterfaceDeclaration' || declaration.id.name.endsWith('Tx')) {
      return [];
    }
    return declaration.body.body.flatMap((member) => {
      const type = member.type === 'TSPropertySignature' ? typeOf(member) : undefined;
      const call = type?.type === 'TSFunctionType' ? type : member;
      if (call.type !== 'TSMethodSignature' && call.type !== 'TSFunctionType') return [];
      if (member.type !== 'TSMethodSignature' && member.type !== 'TSPropertySignature') return [];
      const bounds = BOUNDS[referred(call.returnType?.typeAnnotation)];
      const taken = call.params.map((each) => referred(typeOf(bare(each))));
      if (bounds === undefined || taken.some((each) => bounds.includes(each))) return [];
      const name = member.key.type === 'Identifier' ? member.key.name : '';
      return [`${file}: ${declaration.id.name}.${name}`];
    });
  });
}
