/** What kept SDL from being used, for its writer. */
export function describeSdlFailure(thrown: unknown): string {
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) {
    return 'the SDL nests, or chains types by their fields, deeper than can be checked; expected shorter chains, or fewer types';
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
