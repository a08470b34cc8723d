import type { GatewayOptions } from './open-gateway';

/**
 * From the primary to a worker, once, right after its start. Sent as a message, because every user of the machine can
 * read arguments, and anyone who may inspect the process can read its environment.
 */
export type StartOrder =
  | {
      readonly kind: 'catalog';
      /** Includes the password of the embedded server, which no setting holds. */
      readonly databaseUrl: string;
      readonly demoApiKey: string | undefined;
    }
  | { readonly kind: 'gateway'; readonly gateway: GatewayOptions };

/** From a worker to the primary, before it exits: why it cannot serve, in one sentence for people. */
export interface Refusal {
  readonly type: 'refusal';
  /** Name of the error. */
  readonly name: string;
  readonly reason: string;
}

export const isRefusal = (message: unknown): message is Refusal =>
  (message as Partial<Refusal> | null)?.type === 'refusal';
