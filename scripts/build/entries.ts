const http = (name: string) => `adapters/http/${name}.ts`
const inbox = (name: string) => `adapters/inbox/${name}/${name}-inbox.ts`

/** The subpaths of the package, except for `sandbox`, which is a bundle. */
export const ENTRIES = {
  index: 'src/index.ts',
  express: http('express'),
  koa: http('koa'),
  node: http('node'),
  fetch: http('fetch'),
  lambda: http('lambda'),
  fastify: http('fastify'),
  sqlite: inbox('sqlite'),
  bullmq: inbox('bullmq'),
  postgres: inbox('postgres'),
  client: 'src/client/index.ts',
  console: 'src/console/index.ts',
  opentelemetry: 'adapters/telemetry/opentelemetry/opentelemetry.ts',
  testing: 'src/testing/index.ts',
}

export const TYPED = { ...ENTRIES, sandbox: 'src/sandbox/index.ts' }
