/**
 * What the tests of a file share: opened before the first of them, closed after the last. To be used in tests, and in
 * hooks that are registered after this call.
 */
export function useOpened<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => Promise<unknown>,
): Opened {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened && close(opened));
  return new Proxy({} as Opened, {
    get(_, name): unknown {
      if (opened === undefined) throw new Error(`${String(name)}: expected a use in a test or a hook`);
      return Reflect.get(opened, name);
    },
  });
}
