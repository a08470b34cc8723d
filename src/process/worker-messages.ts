import type { GatewayOptions } from './open-gateway';

/**
 * From the primary to a worker, once, right after its start. Sent as a message, because every user of the machine can
 * read arguments, and anyone who may inspect the process can read its environment.
 */
export type StartOrder = { readonly type: 'start' } & (
  | {
      readonly kind: 'catalog';
      /** Includes the password of the embedded server, which no setting holds. */
      readonly databaseUrl: string;
      readonly demoApiKey: string | undefined;
    }
  | { readonly kind: 'gateway'; readonly gateway: GatewayOptions }
);

/** From a worker to the primary, before it exits: why it cannot serve, in one sentence for people. */
export interface Refusal {
  readonly type: 'refusal';
  /** Name of the error. */
  readonly name: string;
  readonly reason: string;
}

export const isStartOrder = (message: unknown): message is StartOrder => typeOf(message) === 'start';
export const isRefusal = (message: unknown): message is Refusal => typeOf(message) === 'refusal';

const typeOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
