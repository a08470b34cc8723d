interface Reporter {
  onRunComplete(): void;
}
type Options = Readonly<Record<'watch' | 'watchAll', boolean>>;
// eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest loads reporters in the same way
const OpenHandlesReporter = require('../support/open-handles-reporter.cjs') as new (options: Options) => Reporter;

describe('the reporter that ends a Jest run with open handles', () => {
  let once: jest.SpyInstance;
  beforeEach(() => {
    jest.useFakeTimers();
    once = jest.spyOn(process, 'once').mockReturnThis();
  });
  afterEach(() => {
    jest.useRealTimers();
    once.mockRestore();
  });

  it('ends a single run', () => {
    new OpenHandlesReporter({ watch: false, watchAll: false }).onRunComplete();
    expect(jest.getTimerCount()).toBe(1);
    expect(once).toHaveBeenCalledWith('beforeExit', expect.any(Function));
  });

  it.each([
    { watch: true, watchAll: false },
    { watch: false, watchAll: true },
  ])('leaves a watch alone, which has further runs: %j', (options) => {
    new OpenHandlesReporter(options).onRunComplete();
    expect(jest.getTimerCount()).toBe(0);
    expect(once).not.toHaveBeenCalled();
  });
});
