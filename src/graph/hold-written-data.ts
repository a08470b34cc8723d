import type { ApolloServerPlugin } from '@apollo/server';
import { RawJson } from '../catalog/passthrough/passthrough-schema';
import type { GraphqlContext } from './graphql-context';

/** The last of the plugins that change responses: what the others see is the data. */
export const holdWrittenData = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ response: { body }, contextValue: { writtenData } }) {
        if (body.kind !== 'single' || writtenData === undefined) return Promise.resolve();
        const data: unknown = body.singleResult.data;
        if (!(data instanceof RawJson) || data.parts.length !== 1 || !Buffer.isBuffer(data.parts[0]))
          return Promise.resolve();
        const held = writtenData.hold(data.parts[0]) as unknown as Record<string, unknown>;
        body.singleResult = { ...body.singleResult, data: held };
        return Promise.resolve();
      },
    }),
});
