import { defineConfig, type Options } from 'tsup'

const http = (name: string) => `adapters/http/${name}.ts`
const inbox = (name: string) => `adapters/inbox/${name}.ts`

const common: Options = {
  entry: {
    index: 'src/index.ts',
    express: http('express'),
    koa: http('koa'),
    node: http('node'),
    fetch: http('fetch'),
    lambda: http('lambda'),
    fastify: http('fastify'),
    sqlite: inbox('sqlite'),
    bullmq: inbox('bullmq'),
    'pg-boss': inbox('pg-boss'),
    client: 'src/client/index.ts',
    sandbox: 'src/sandbox/index.ts',
    testing: 'src/testing/index.ts',
  },
  target: 'node22',
  dts: true,
  // Shared chunks, so that a class is the same one in every subpath.
  splitting: true,
  sourcemap: true,
  // Workers and Deno know the built-in modules by their prefix only.
  removeNodeProtocol: false,
}

export default defineConfig([
  { ...common, format: 'esm' },
  // These come as ES modules only, which require() takes from Node 22.12 on; CommonJS on 22.0 has them built in.
  { ...common, format: 'cjs', noExternal: ['oauth4webapi', 'raw-body'] },
])
