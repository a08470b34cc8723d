/** From the primary to a worker: finish and end. */
export interface StopOrder {
  readonly type: 'stop';
  /** How long to go on taking requests. */
  readonly noticeMilliseconds: number;
}

export const isStopOrder = (message: unknown): message is StopOrder =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop';
