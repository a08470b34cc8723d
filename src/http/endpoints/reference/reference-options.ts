/** What the front page and the reference are filled with. All of it is public. */
export interface ReferenceOptions {
  /** The key that the consoles start with; none where there is no demo shop. */
  readonly demoApiKey: string | undefined;
}
