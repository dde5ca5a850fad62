import type { components, paths } from './schema.ts';

/* Types that follow from the OpenAPI document: which addresses there are, what they take, and what they answer. */

export type { components, paths } from './schema.ts';
export type Operation = components['schemas']['Operation'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The operation at an address, by its method. */
export type At<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O }
  ? O
  : never;

type Json<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer D }
    ? D
    : never
  : null;

/** Statuses of answers that are neither a `202` nor a problem. */
type Done = 200 | 201 | 204;

/** The body of a success; `null` if it has none. */
export type Answered<O> = O extends { responses: infer R }
  ? { [S in keyof R & Done]: Json<R[S]> }[keyof R & Done]
  : never;

/** Addresses that are read and answer JSON. */
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

/** An entry of a list. */
export type Item<P extends ListPath> = Data<P> extends readonly (infer T)[] ? T : never;

/** Addresses of changes that have a command ID. */
export type CommandPath = {
  [P in keyof paths]: 'commandId' extends QueryName<At<P, 'post'>> ? P : never;
}[keyof paths];

/** Addresses of other changes. */
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

/** What every call takes. */
export interface CallOptions {
  /** Further headers, such as `If-Match`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call, its repetitions and its waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Parameters and body of an operation, as the document has them. */
export type Asked<O> = CallOptions &
  BodyOf<O> & { readonly query?: QueryOf<O> } & ([PathOf<O>] extends [never]
    ? { readonly path?: never }
    : { readonly path: PathOf<O> });

/** The argument of a call, which may be absent if nothing in it is required. */
export type Rest<A> = object extends A ? [asked?: A] : [asked: A];
