/** Takes a supergraph into use, or throws. */
export type Offer = (supergraphSdl: string) => void | Promise<void>;

/** Where supergraphs come from. */
export interface SupergraphSource {
  /**
   * Offers the first supergraph, then every new one, until stopped. `offer` rejects when it cannot use one; then the source
   * keeps to the last one that could be used, says so in the log, and tries again when something has changed.
   * @throws Error when there is no usable supergraph to begin with.
   */
  start(offer: Offer): Promise<void>;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Where a source reports. */
export interface SourceLog {
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}
