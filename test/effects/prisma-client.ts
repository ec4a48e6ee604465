import {
  type ClientOtherOps,
  type GetPrismaClientConfig,
  getPrismaClient,
  type ITXClientDenyList,
} from '@prisma/client/runtime/client'

/** The part of Prisma's client that recipes use, as `prisma generate` makes it for a schema without models. */
export interface PrismaClient extends Pick<ClientOtherOps, '$executeRaw' | '$queryRawUnsafe'> {
  $transaction<Result>(
    run: (tx: Omit<PrismaClient, ITXClientDenyList>) => Promise<Result>,
    options?: { maxWait?: number; timeout?: number },
  ): Promise<Result>
  $disconnect(): Promise<void>
}

/** It has no types. */
const COMPILER = '@prisma/client/runtime/query_compiler_fast_bg.postgresql'

const config: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: '0edf323efd1d98336f3f0a68684b56f689b900d3',
  activeProvider: 'postgresql',
  inlineSchema:
    'generator client {\n provider = "prisma-client"\n}\ndatasource db {\n provider = "postgresql"\n}',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: 'AAAA' },
  compilerWasm: {
    getRuntime: () => import(`${COMPILER}.mjs`),
    async getQueryCompilerWasmModule() {
      const { wasm } = await import(`${COMPILER}.wasm-base64.mjs`)
      // Node's types have no value of that name.
      const { Module } = Reflect.get(globalThis, 'WebAssembly')
      return new Module(Buffer.from(wasm, 'base64'))
    },
    importName: './query_compiler_fast_bg.js',
  },
}

export const PrismaClient = getPrismaClient(config) as unknown as new (options: object) => PrismaClient
