/** Makes a value when it is first wanted, and keeps it. */
export function once<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
