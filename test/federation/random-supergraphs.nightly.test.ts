import { execute, parse, validate } from 'graphql';
import { runSeed } from '../support/run-seed';
import { Random } from '../model/random';
import { createTestGateway, toJson } from './support/in-process-gateway';
import { createRandomOperation } from './support/random-operation';
import { createRandomSupergraph } from './support/random-supergraph';

/** RANDOM_SUPERGRAPHS=2000 searches for minutes; SEED=random searches elsewhere. */
const count = Number(process.env['RANDOM_SUPERGRAPHS'] ?? 60);
const operationsPerSupergraph = 15;

describe('random operations over random supergraphs', () => {
  it(
    'have the data of the same graph in one piece, or are refused',
    async () => {
      const wrong: string[] = [];
      const refused: string[] = [];
      let operations = 0;
      for (let seed = runSeed; seed < runSeed + count; seed += 1) {
        const random = new Random(seed);
        const { whole, rootValue, subgraphs } = createRandomSupergraph(random);
        const { gateway, run } = createTestGateway(subgraphs);
        for (let tried = 0; tried < operationsPerSupergraph; tried += 1) {
          const source = createRandomOperation(random, whole);
          const document = parse(source);
          // Fields with the same name that cannot be merged.
          if (validate(whole, document).length > 0) continue;
          operations += 1;
          const where = `SEED=${seed} operation ${tried}: ${source}`;
          const expected = toJson(await execute({ schema: whole, document, rootValue }));
          const answer = await run(source);
          if (answer.errors?.some(({ extensions }) => extensions['code'] === 'BAD_USER_INPUT')) refused.push(where);
          else if (JSON.stringify(toJson(answer)) !== JSON.stringify(expected)) {
            wrong.push(`${where}\n${JSON.stringify(answer)}\n${JSON.stringify(expected)}`);
          }
        }
        gateway.retire();
      }
      process.stdout.write(`${operations} operations: ${wrong.length} wrong, ${refused.length} refused\n`);
      expect(wrong).toEqual([]);
      expect(refused.length).toBeLessThanOrEqual(operations * 0.02);
    },
    20 * 60_000,
  );
});
