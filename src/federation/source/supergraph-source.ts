/** Takes a supergraph into use, or throws. */
export type Offer = (supergraphSdl: string) => void | Promise<void>;

/** A source of supergraphs. */
export interface SupergraphSource {
  /**
   * Offers the first supergraph, then every new one, until stopped. `offer` rejects when it cannot use one; then the
   * source keeps the last one that could be used, logs that, and tries again when something has changed.
   * @throws Error when there is no usable supergraph at the start.
   */
  start(offer: Offer): Promise<void>;
  /** Resolves when no work is in progress any more. */
  stop(): Promise<void>;
}

/** The log of a source. */
export interface SourceLog {
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}
