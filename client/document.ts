import type { components, paths } from './schema.ts';

/* Types derived from the OpenAPI document: the addresses, their parameters and bodies, and their answers. */

export type { components, paths } from './schema.ts';
export type Operation = components['schemas']['Operation'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The operation at an address, for a method. */
export type At<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O }
  ? O
  : never;

type Json<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer D }
    ? D
    : never
  : null;

/** Statuses of successful answers, except `202`. */
type Done = 200 | 201 | 204;

/** The body of a successful answer; `null` if it has none. */
export type Answered<O> = O extends { responses: infer R }
  ? { [S in keyof R & Done]: Json<R[S]> }[keyof R & Done]
  : never;

/** Addresses that can be read and that answer with JSON. */
export type ReadPath = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': unknown } } } };
  }
    ? P
    : never;
}[keyof paths];

/** The body of the answer to a read. */
export type Data<P extends ReadPath> = Answered<At<P, 'get'>>;

/** Names of the query parameters of an operation. */
type QueryName<O> = [NonNullable<QueryOf<O>>] extends [never]
  ? never
  : keyof NonNullable<QueryOf<O>>;

/** Addresses of lists that are read page by page. */
export type ListPath = {
  [P in ReadPath]: 'cursor' extends QueryName<At<P, 'get'>> ? P : never;
}[ReadPath];

/** The type of an entry of a list. */
export type Item<P extends ListPath> = Data<P> extends readonly (infer T)[] ? T : never;

/** Addresses of changes that have a command ID. */
export type CommandPath = {
  [P in keyof paths]: 'commandId' extends QueryName<At<P, 'post'>> ? P : never;
}[keyof paths];

/** Addresses of changes that have no command ID. */
export type WritePath<M extends Method> = Exclude<
  { [P in keyof paths]: At<P, M> extends never ? never : P }[keyof paths],
  M extends 'post' ? CommandPath : never
>;

type ParametersOf<O> = O extends { parameters: infer A } ? A : never;
type QueryOf<O> = ParametersOf<O> extends { query?: infer Q } ? Q : never;
type PathOf<O> = ParametersOf<O> extends { path: infer A } ? A : never;

type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { readonly body: B }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { readonly body?: B }
    : { readonly body?: never };

/** Options that every call accepts. */
export interface CallOptions {
  /** Further headers, such as `If-Match`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborting it ends the call, its repetitions and its wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The parameters and body of an operation, as the API document defines them. */
export type Asked<O> = CallOptions &
  BodyOf<O> & { readonly query?: QueryOf<O> } & ([PathOf<O>] extends [never]
    ? { readonly path?: never }
    : { readonly path: PathOf<O> });

/** The argument of a call. It is optional if none of its members is required. */
export type Rest<A> = object extends A ? [asked?: A] : [asked: A];
