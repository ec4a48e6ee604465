// Checks the published package: installs the tarball in an empty project and uses it as an ES module, as
// CommonJS and from TypeScript. Run after `npm run build`.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { buildSync } from 'esbuild'
import { findBrokenLinks } from '../site/find-broken-links.ts'
import {
  compile,
  equal,
  install,
  node,
  project,
  removeProject,
  root,
  run,
  write,
} from './consumer-project.ts'
import { ENGINE_EXPORTS, EXPORTS } from './package-exports.ts'
import { readSnippets } from './readme-snippets.ts'
import { checkSandboxCommands, checkServer, isScript, isServer, runScript } from './run-snippets.ts'

/** What the snippets import, and the oldest supported TypeScript. */
const FRAMEWORKS = [
  ...['express', 'koa', 'fastify', 'hono', '@hono/node-server', 'bullmq', 'ioredis', 'pg'],
  ...['api', 'context-async-hooks', 'exporter-prometheus', 'instrumentation', 'instrumentation-express']
    .concat('instrumentation-http', 'instrumentation-pg', 'sdk-metrics', 'sdk-trace')
    .map((name) => `@opentelemetry/${name}`),
  ...['pino', 'winston', '@types/node', '@types/express', '@types/koa', '@types/aws-lambda'],
  'typescript-5.4@npm:typescript@5.4',
]

const PAGES = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))

const MAX_TARBALL_BYTES = 500_000
const PACKED =
  /^(?:dist\/|docs\/[a-z-]+\.md$|package\.json|README\.md|LICENSE|AGENTS\.md|CHANGELOG\.md|SECURITY\.md)/

let failures = 0

try {
  await check('publint', () => void run('npx', ['publint', '--strict'], root))
  await check(
    'the interface is what api/ says',
    () => void run('node', ['scripts/package/api-report.ts', '--check'], root),
  )
  const tarball = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], root),
  )
  await check('the tarball has the right files', () => {
    const files: string[] = tarball[0].files.map(({ path }: { path: string }) => path)
    const stray = files.filter((path) => !PACKED.test(path))
    const missing = ['dist/THIRD_PARTY_LICENSES', 'docs/protocol.md'].filter((path) => !files.includes(path))
    equal([...stray, ...missing], [])
    if (tarball[0].size > MAX_TARBALL_BYTES) throw new Error(`it has ${tarball[0].size} bytes`)
  })
  await check(
    'every kind of module resolution finds the types of every subpath',
    () => void run('npx', ['attw', join(project, tarball[0].filename)], root),
  )
  write('package.json', { name: 'consumer', private: true, type: 'module' })
  install(join(project, tarball[0].filename))

  await check('an install brings zod, raw-body and what raw-body needs', () => {
    const tree = JSON.parse(run('npm', ['ls', '--all', '--omit=dev', '--json']))
    equal(Object.keys(tree.dependencies), ['payhook'])
    const { dependencies } = tree.dependencies.payhook as {
      dependencies: Record<string, { version?: string }>
    }
    const installed = Object.keys(dependencies).filter((name) => dependencies[name]?.version !== undefined)
    equal(installed.toSorted(), ['raw-body', 'zod'])
  })

  await check(
    'no peer is needed to load a subpath other than those of the engines, and the names are there',
    () => checkNames(EXPORTS),
  )

  await check('a class is the same one from every subpath and in both formats', () => {
    write(
      'identity.mjs',
      `import { createRequire } from 'node:module'
      import { createReceiver, RequestError, SignatureError } from 'payhook'
      import { verifyWebhook } from 'payhook/lambda'
      const require = createRequire(import.meta.url)
      if (require('payhook').SignatureError !== SignatureError) throw new Error('two classes for two formats')
      for (const verify of [verifyWebhook, require('payhook/lambda').verifyWebhook]) {
        try { await verify({ clientId: 'a' })({ httpMethod: 'GET' }); throw new Error('accepted') }
        catch (error) { if (!(error instanceof RequestError)) throw error }
      }`,
    )
    node('identity.mjs')
  })

  await check('the OpenAPI documents are exported', () => {
    write(
      'openapi.mjs',
      `import { deepEqual } from 'node:assert/strict'
      import service from 'payhook/openapi.json' with { type: 'json' }
      import control from 'payhook/sandbox-openapi.json' with { type: 'json' }
      deepEqual(['/svc/v1.0/hello' in service.paths, '/_sandbox/trigger' in control.paths], [true, true])`,
    )
    node('openapi.mjs')
  })

  await check('a bundler has nothing to say about the entries', () => {
    for (const path of ['payhook', 'payhook/fetch', 'payhook/client', 'payhook/console']) {
      const stdin = { contents: `export * from '${path}'`, resolveDir: project }
      const { warnings } = buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', write: false })
      if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join())
    }
  })

  await check('no text goes on in the next line, which a bundler may indent', () => {
    const dist = join(project, 'node_modules/payhook/dist')
    const broken = readdirSync(dist).filter(
      (name) => /js$/.test(name) && /(?<!\\)(?:\\\\)*\\\n/.test(readFileSync(join(dist, name), 'utf8')),
    )
    equal(broken, [])
  })

  await check('the core loads zod and nothing else', () => {
    write(
      'loaded.mjs',
      `import 'payhook'; console.log(process.moduleLoadList.filter((name) => / (?:http|net|fs\\/promises)$/.test(name)).join())`,
    )
    equal(node('loaded.mjs').trim(), '')
  })

  install('@types/node')
  await check('the types of every other subpath need no peer, also without skipLibCheck', () => {
    const imports = Object.keys(EXPORTS).map(
      (path, index) => `import * as m${index} from '${path}'; m${index}`,
    )
    write('no-peers/subpaths.ts', imports.join('\n'))
    compile('no-peers', { module: 'nodenext', skipLibCheck: false })
  })

  install('@opentelemetry/api')
  await check('payhook/opentelemetry needs no peer but @opentelemetry/api', () => {
    checkNames({ 'payhook/opentelemetry': ['instrument'] })
    write('telemetry/names.ts', `import { instrument } from 'payhook/opentelemetry'; instrument`)
    compile('telemetry', { module: 'nodenext', skipLibCheck: false })
  })

  install(...FRAMEWORKS)
  await check('the names are there in the subpaths of the engines', () => checkNames(ENGINE_EXPORTS))
  const pages = ['README.md', 'SECURITY.md', 'AGENTS.md', ...PAGES.map((name) => `docs/${name}`)]
  await check('the links of the README and the docs lead to what the package has', () =>
    equal(findBrokenLinks(pages.map((page) => join(project, 'node_modules/payhook', page))), []),
  )
  const snippets = pages.flatMap((page) => readSnippets(join(root, page)))
  for (const { file, code } of snippets) write(file, code)
  await check(`the ${snippets.length} snippets of the README and the docs compile`, () => {
    const resolution = { module: 'esnext', moduleResolution: 'bundler', moduleDetection: 'force' }
    compile('pages', { ...resolution, allowJs: true, skipLibCheck: true })
  })
  const servers = snippets.filter(isServer)
  await check(`the ${servers.length} servers of the README and the docs respond as they should`, async () => {
    await Promise.all(servers.map(checkServer))
  })
  await check('the commands of the README have the sandbox notify its server', () =>
    checkSandboxCommands(snippets.filter(({ file }) => file.startsWith('pages/readme/'))),
  )
  const scripts = snippets.filter(isScript)
  // After the servers, whose inbox some of them open.
  await check(`the ${scripts.length} scripts of the README and the docs run`, () =>
    scripts.forEach(runScript),
  )
  await check('the SQS function of the docs reports the message that failed, and no other', () => {
    const bodies = ['{"type":"VBA_TRANSACTION","data":"{}"}', 'not JSON', '{"type":"VBA_TRANSACTION"}']
    const records = bodies.map((body, index) => ({
      messageId: `m${index}`,
      body: Buffer.from(body).toString('base64'),
      attributes: { MessageGroupId: 'a' },
    }))
    write(
      'pages/serverless/batch.mjs',
      `import { handler } from './handle.mjs'
      console.log(JSON.stringify(await handler({ Records: ${JSON.stringify(records)} })))`,
    )
    equal(node('pages/serverless/batch.mjs').trim(), '{"batchItemFailures":[{"itemIdentifier":"m1"}]}')
  })
  await check('the types work from CommonJS and with a bundler', () => {
    const code = `import { verifyAndParse, type WebhookEvent } from 'payhook'
    import { receiveWebhooks } from 'payhook/express'
    export const read = (body: string): WebhookEvent => verifyAndParse({ body, signature: null, clientId: 'a' })
    export const id = (event: WebhookEvent): string | undefined =>
      event.type === 'ACCOUNT_STATUS_UPDATED' ? event.data.id : undefined
    export { receiveWebhooks }`
    write('commonjs/read.cts', code)
    // NestJS 10 begins projects with this target.
    compile('commonjs', { module: 'nodenext', target: 'es2021', lib: ['es2021'] })
    write('bundler/read.ts', code)
    compile('bundler', { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true })
  })
  await check('TypeScript 5.4 with node10 resolution finds the types of every subpath', () => {
    const subpaths = Object.keys({ ...EXPORTS, ...ENGINE_EXPORTS })
    const imports = subpaths.map((path, index) => `import * as m${index} from '${path}'; m${index}`)
    write('node10/subpaths.ts', imports.join('\n'))
    const options = { module: 'commonjs', moduleResolution: 'node10', skipLibCheck: true }
    compile('node10', options, 'node_modules/typescript-5.4/bin/tsc')
  })
} finally {
  removeProject()
}

process.exitCode = failures === 0 ? 0 : 1

async function check(name: string, body: () => void | Promise<void>): Promise<void> {
  try {
    await body()
    console.log(`ok      ${name}`)
  } catch (error) {
    failures++
    // What a failed command printed says more than its error.
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    console.log(`FAILED  ${name}\n${inspect(error)}\n${stdout}${stderr}`)
  }
}

function checkNames(exports: Record<string, string[]>): void {
  const names = JSON.stringify(
    Object.fromEntries(Object.entries(exports).map(([path, list]) => [path, list.join(' ')])),
  )
  write(
    'names.mjs',
    `import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    for (const [path, names] of Object.entries(${names})) {
      for (const loaded of [await import(path), require(path)]) {
        const found = Object.keys(loaded).filter((name) => !['default', '__esModule', 'module.exports'].includes(name))
        if (found.sort().join(' ') !== names.split(' ').sort().join(' ')) throw new Error(path + ' exports ' + found.join(' '))
      }
    }`,
  )
  node('names.mjs')
}
