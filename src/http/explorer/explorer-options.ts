/** What the pages for people are filled with. Everything in it can be read by whoever opens them. */
export interface ExplorerOptions {
  /** Where operations are sent, as a path of this server: `/graphql`. */
  readonly graphqlPath: string;
  /** The example that stands in the editor. */
  readonly document: string;
  /** The Authorization header of the demo key, such as `Bearer ck_….…`; none when there is no demo shop. */
  readonly authorization?: string | undefined;
}

/** Headers that the editor starts with. */
export const initialHeaders = ({ authorization }: ExplorerOptions): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { Authorization: authorization };
