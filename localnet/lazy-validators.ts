import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyServerOptions } from 'fastify';

/*
 * Request schemas are compiled on the first request that needs them. There are dozens of schemas, and compiling takes
 * half of a network's start time. Most networks use hardly any of the schemas.
 */

type Controller = NonNullable<FastifyServerOptions['schemaController']>;
type Build = NonNullable<NonNullable<Controller['compilersFactory']>['buildValidator']>;

/** Validates data. Errors are in `errors`. */
interface Validate {
  (data: unknown): unknown;
  errors?: unknown;
}
type Compile = (route: { readonly schema: unknown }) => Validate;

/** Fastify's own compiler, shared by all networks of the process, so that each schema is compiled once. */
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
