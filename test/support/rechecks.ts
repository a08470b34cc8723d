/**
 * Watches the timers of a service, from before it starts.
 * @returns what authenticates all responses in progress again, as the service does twice a minute
 */
export function watchRechecks(): { passHalfAMinute: () => void; restore: () => void } {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  return {
    passHalfAMinute() {
      const rechecks = new Set(
        intervals.mock.calls.flatMap(([recheck, milliseconds]) => (milliseconds === 2_000 ? [recheck] : [])),
      );
      for (let group = 0; group < 15; group += 1) for (const recheck of rechecks) recheck();
    },
    restore: () => intervals.mockRestore(),
  };
}
