/** Splits a filter in two: the conditions with these names, and the others. */
export function splitFilter<Filter extends object>(
  filter: Filter,
  names: readonly (keyof Filter & string)[],
): readonly [taken: Partial<Filter>, left: Partial<Filter>] {
  const isTaken = ([name]: readonly [string, unknown]): boolean => names.some((each) => each === name);
  const conditions = Object.entries(filter);
  return [
    Object.fromEntries(conditions.filter(isTaken)) as Partial<Filter>,
    Object.fromEntries(conditions.filter((each) => !isTaken(each))) as Partial<Filter>,
  ];
}
