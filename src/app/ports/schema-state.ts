/** Whether this version can use the tables. */
export type SchemaState =
  | { readonly kind: 'current'; readonly number: number }
  /** Tables or migrations are missing: the next start applies them. */
  | { readonly kind: 'behind'; readonly number: number; readonly newest: number }
  | { readonly kind: 'ahead'; readonly number: number; readonly newest: number }
  | { readonly kind: 'changed'; readonly fileName: string };
