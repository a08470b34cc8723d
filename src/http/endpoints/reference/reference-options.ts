/** What the front page and the reference are filled with. Everything in it can be read by whoever opens them. */
export interface ReferenceOptions {
  /** The key that the consoles start with; none where there is no demo shop. */
  readonly demoApiKey: string | undefined;
}
