/** What the front page, the reference and the dashboard are filled with. All of it is public. */
export interface ReferenceOptions {
  /** The key that the consoles start with; none where there is no demo shop. */
  readonly demoApiKey: string | undefined;
  /** The text of the GraphQL schema. */
  readonly schema: string;
}
