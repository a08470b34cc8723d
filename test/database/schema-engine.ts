import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as EngineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { QueryArrayResult } from 'pg';

type Engine = typeof EngineModule;
type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * The schema engine on one database. `firstFailure` is the first error of the database itself, when the engine fails.
 */
export interface OpenSchemaEngine {
  readonly engine: EngineModule.SchemaEngine;
  readonly firstFailure: () => unknown;
  readonly close: () => Promise<void>;
}

/**
 * Prisma's schema engine as WebAssembly: the code behind `prisma migrate`, without its downloaded binary.
 * @param datamodels Prisma schemas, only needed to compare one with a database.
 */
export async function openSchemaEngine(
  url: string,
  datamodels?: [path: string, content: string][],
): Promise<OpenSchemaEngine> {
  const { SchemaEngine } = loadEngine();
  const factory = new ScriptingPrismaPg({ connectionString: url, connectionTimeoutMillis: 5_000 });
  const engine = await SchemaEngine.new({ datamodels }, () => undefined, bindMigrationAwareSqlAdapterFactory(factory));
  return {
    engine,
    firstFailure: () => factory.firstFailure,
    close: async () => {
      engine.free();
      await factory.close();
    },
  };
}

/**
 * adapter-pg splits scripts at every semicolon, even inside function bodies. Here the server parses the whole script.
 */
class ScriptingPrismaPg extends PrismaPg {
  firstFailure: unknown;
  private readonly adapters: Adapter[] = [];

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    this.adapters.push(adapter);
    teachTypeChar(adapter);
    const executeScript: Adapter['executeScript'] = async (script) => {
      try {
        await adapter.underlyingDriver().query(script);
      } catch (error) {
        this.firstFailure ??= error;
        throw error;
      }
    };
    adapter.executeScript = executeScript;
    return adapter;
  }

  /** The engine does not close the adapter that it was given. */
  async close(): Promise<void> {
    await Promise.all(this.adapters.map((adapter) => adapter.dispose()));
  }
}

/**
 * adapter-pg does not know PostgreSQL's type "char" (18), which the engine encounters in the catalog of a database. So
 * it is called text in the driver's results and a character in the adapter's.
 */
function teachTypeChar(adapter: Adapter): void {
  const characterColumns = new WeakMap<object, number[]>();
  const pool = adapter.underlyingDriver();
  const query = pool.query.bind(pool) as (config: unknown) => Promise<QueryArrayResult>;
  const queryTelling = async (config: unknown): Promise<QueryArrayResult> => {
    const result = await query(config);
    // A script of several statements has several results, which are not used.
    if (Array.isArray(result)) return result;
    const columns = result.fields.flatMap(({ dataTypeID }, index) => (dataTypeID === 18 ? [index] : []));
    for (const index of columns) result.fields[index]!.dataTypeID = 25;
    characterColumns.set(result.rows, columns);
    return result;
  };
  pool.query = queryTelling as typeof pool.query;

  const queryRaw = adapter.queryRaw.bind(adapter);
  const queryWithCharacters: Adapter['queryRaw'] = async (query) => {
    const result = await queryRaw(query);
    for (const index of characterColumns.get(result.rows) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
  adapter.queryRaw = queryWithCharacters;
}

let loadedEngine: Engine | undefined;

/**
 * The package's own entry imports a .wasm file, which Node only supports behind a flag, so the module is assembled
 * here. It is loaded on first use: a start with nothing to migrate does not pay for 5 MB of WebAssembly.
 */
function loadEngine(): Engine {
  if (loadedEngine) return loadedEngine;
  const require = createRequire(__filename);
  const bindings = require('@prisma/schema-engine-wasm/schema_engine_bg') as Engine;
  const wasmFile = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
  const { Instance, Module } = webAssembly;
  const { exports } = new Instance(new Module(readFileSync(wasmFile)), {
    './schema_engine_bg.js': { ...bindings, ...timersThatLetTheProcessEnd(bindings) },
  });
  bindings.__wbg_set_wasm(exports);
  exports['__wbindgen_start']?.();
  loadedEngine = bindings;
  return bindings;
}

/** The engine never clears the timers of its ten-second time-outs, each of which would keep the process alive. */
function timersThatLetTheProcessEnd(bindings: Engine): Record<string, (run: () => void, delay: number) => unknown> {
  const names = Object.keys(bindings).filter((name) => name.startsWith('__wbg_setTimeout_'));
  return Object.fromEntries(names.map((name) => [name, (run, delay) => setTimeout(run, delay).unref()]));
}

/** The part of WebAssembly used here. Its types are part of the DOM's, which this project does not include. */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (code: Uint8Array) => object;
    Instance: new (
      module: object,
      imports: Record<string, object>,
    ) => { exports: Record<string, (() => void) | undefined> };
  };
};
