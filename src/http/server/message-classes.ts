import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** What the requests and responses of one server are instances of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** For one server and its one application. */
export const createMessageClasses = (): MessageClasses => ({
  IncomingMessage: class extends IncomingMessage {},
  ServerResponse: class<Request extends IncomingMessage> extends ServerResponse<Request> {},
});

/**
 * Lets messages be born as what Express makes of them. Otherwise it changes the prototype of every single one, and an object whose
 * prototype changed is slow from then on, and kept until the next collection of all garbage: four fifths of a small answer.
 */
export function adoptMessages(
  app: Express,
  { IncomingMessage: Incoming, ServerResponse: Outgoing }: MessageClasses,
): void {
  app.request = bear(Incoming.prototype, app.request);
  app.response = bear(Outgoing.prototype, app.response);
}

/** The class's prototype, with the members of Express's. */
function bear<Message extends object>(born: object, expected: Message): Message {
  Object.setPrototypeOf(born, expected);
  return born as Message;
}
