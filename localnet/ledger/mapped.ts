/** Maps items lazily, because the iterators of Node 20 have no `map`. */
export function* mapped<T, U>(
  items: Iterable<T>,
  into: (item: T, index: number) => U,
): Generator<U> {
  let index = 0;
  for (const item of items) {
    yield into(item, index);
    index += 1;
  }
}
