/** Whether the tables are those that this version works with. */
export type SchemaState =
  | { readonly kind: 'current'; readonly number: number }
  /** None at all, or some are still to be applied: the next start does it. */
  | { readonly kind: 'behind'; readonly number: number; readonly newest: number }
  | { readonly kind: 'ahead'; readonly number: number; readonly newest: number }
  | { readonly kind: 'changed'; readonly fileName: string };
