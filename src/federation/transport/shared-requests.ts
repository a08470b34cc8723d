import { CancellationSource } from '../../common/cancellation';
import type { TakesFromBudget } from '../answer/answer-budget';
import { overBudget } from './bounded-text';
import type { GraphqlPost, ReceivedText } from './post-graphql';
import { receiveText } from './post-graphql';
import { getOrMake } from '../../common/once';

/** Headers that identify requests without affecting the answer. */
const correlation: ReadonlySet<string> = new Set(['x-request-id', 'traceparent', 'tracestate']);

/**
 * The queries to one subgraph. Equal ones from the same turn of the event loop are sent once, which saves many under
 * load. A query never joins a request that was already sent: its answer could be older than what a client has just
 * written.
 */
export class SharedRequests {
  readonly #waiting = new Map<string, SharedRequest>();

  /** Sends a query, or joins an equal one. @throws what receiveText throws */
  receive(post: GraphqlPost): Promise<ReceivedText> {
    if (this.#waiting.size === 0) setImmediate(() => this.#send());
    return getOrMake(this.#waiting, toKey(post), () => new SharedRequest(post)).join(post);
  }

  #send(): void {
    const requests = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const request of requests) void request.send();
  }
}

/** The parts of a request that a subgraph receives. */
function toKey({ body, headers }: GraphqlPost): string {
  const seen = Object.entries(headers).filter(([name]) => !correlation.has(name));
  return seen.length === 0 ? body : `${JSON.stringify(seen)}${body}`;
}

interface Member {
  readonly budget: TakesFromBudget | undefined;
  readonly resolve: (received: ReceivedText) => void;
  readonly reject: (reason: Error) => void;
  readonly forget: () => void;
}

/**
 * One request and the operations that it is for. An operation may leave; when all have left, the request is canceled.
 */
class SharedRequest implements TakesFromBudget {
  readonly #members = new Set<Member>();
  readonly #cancellation = new CancellationSource();

  constructor(private readonly post: GraphqlPost) {}

  join({ budget, cancellation }: GraphqlPost): Promise<ReceivedText> {
    if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
    return new Promise((resolve, reject) => {
      const forget = cancellation.onEnd((reason) => this.#leave(member, reason));
      const member: Member = { budget, resolve, reject, forget };
      this.#members.add(member);
    });
  }

  async send(): Promise<void> {
    if (this.#members.size === 0) return;
    try {
      const received = await receiveText({ ...this.post, budget: this, cancellation: this.#cancellation });
      this.#settle(({ resolve }) => resolve(received));
    } catch (thrown) {
      this.#settle(({ reject }) => reject(thrown as Error));
    }
  }

  /** The response counts toward the limit of each operation. */
  take(bytes: number, values: number): boolean {
    for (const member of this.#members) {
      if (member.budget?.take(bytes, values) === false) this.#leave(member, overBudget());
    }
    return this.#members.size > 0;
  }

  #leave(member: Member, reason: Error): void {
    this.#members.delete(member);
    member.forget();
    member.reject(reason);
    if (this.#members.size === 0) this.#cancellation.end(reason);
  }

  #settle(how: (member: Member) => void): void {
    for (const member of this.#members) {
      member.forget();
      how(member);
    }
  }
}
