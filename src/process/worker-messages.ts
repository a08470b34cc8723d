/**
 * From the primary to a worker, once, right after its start. By a message, because arguments can be read by every user of the machine
 * and the environment by whoever may look into the process.
 */
export interface StartOrder {
  readonly type: 'start';
  /** With the password of the embedded server, which no setting holds. */
  readonly databaseUrl: string;
  readonly demoApiKey: string | undefined;
}

/** From the primary to a worker: finish and end. */
export interface StopOrder {
  readonly type: 'stop';
  /** How long to go on taking requests. */
  readonly noticeMilliseconds: number;
}

/** From a worker to the primary, before it ends: why it does not serve, in a sentence for people. */
export interface Refusal {
  readonly type: 'refusal';
  /** Of the error. */
  readonly name: string;
  readonly reason: string;
}

export const isStartOrder = (message: unknown): message is StartOrder => typeOf(message) === 'start';
export const isStopOrder = (message: unknown): message is StopOrder => typeOf(message) === 'stop';
export const isRefusal = (message: unknown): message is Refusal => typeOf(message) === 'refusal';

const typeOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
