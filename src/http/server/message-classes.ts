import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of the requests and responses of one server. */
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
 * Creates messages with the prototypes that Express gives them. Otherwise Express changes the prototype of every
 * message. An object whose prototype changed is slow from then on, and survives until the next major garbage
 * collection: four fifths of a small answer.
 */
export function adoptMessages(
  app: Express,
  { IncomingMessage: Incoming, ServerResponse: Outgoing }: MessageClasses,
): void {
  app.request = inheritMembers(Incoming.prototype, app.request);
  app.response = inheritMembers(Outgoing.prototype, app.response);
}

/** The class's prototype, with the members of Express's. */
function inheritMembers<Message extends object>(prototype: object, expected: Message): Message {
  Object.setPrototypeOf(prototype, expected);
  return prototype as Message;
}
