import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyServerOptions } from 'fastify';

/*
 * Compiles a request schema at the first request that needs it. Compiling all schemas would take half of a network's
 * start time, and most networks use only a few of them.
 */

type Controller = NonNullable<FastifyServerOptions['schemaController']>;
type Build = NonNullable<NonNullable<Controller['compilersFactory']>['buildValidator']>;

/** Validates data. Afterwards, `errors` contains the errors. */
interface Validate {
  (data: unknown): unknown;
  errors?: unknown;
}
type Compile = (route: { readonly schema: unknown }) => Validate;

/** Fastify's own compiler. All networks of the process share it, so that each schema is compiled once. */
const standard = AjvCompiler() as unknown as (schemas: unknown, options: unknown) => Compile;

function buildValidator(schemas: unknown, options: unknown): Compile {
  let compile: Compile | undefined;
  return (route) => {
    let compiled: Validate | undefined;
    const validate: Validate = (data) => {
      compile ??= standard(schemas, options);
      compiled ??= compile(route);
      const isGood = compiled(data);
      validate.errors = compiled.errors;
      return isGood;
    };
    return validate;
  };
}

export const LAZY_VALIDATORS: Controller = {
  compilersFactory: { buildValidator: buildValidator as unknown as Build },
};
