/** Whether this version of Tenure can use the database's tables. */
export type SchemaState =
  | { readonly kind: 'current'; readonly number: number }
  /** Tables or migrations are missing; they are applied at the next start. */
  | { readonly kind: 'behind'; readonly number: number; readonly newest: number }
  | { readonly kind: 'ahead'; readonly number: number; readonly newest: number }
  | { readonly kind: 'changed'; readonly fileName: string };
