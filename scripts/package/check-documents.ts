import { node, write } from './consumer-project.ts'

/** Checks the OpenAPI documents of the installed package. */
export function checkDocuments(): void {
  write(
    'openapi.mjs',
    `import { deepEqual } from 'node:assert/strict'
    import { createRequire } from 'node:module'
    import service from 'payhook/openapi.json' with { type: 'json' }
    import control from 'payhook/sandbox-openapi.json' with { type: 'json' }
    for (const { createSandbox } of [await import('payhook/sandbox'), createRequire(import.meta.url)('payhook/sandbox')]) {
      const sandbox = await createSandbox()
      const read = async (name) => (await fetch(sandbox.url + '/_sandbox/' + name)).json()
      const servers = [{ url: sandbox.url }]
      deepEqual(await read('service-openapi.json'), { ...service, servers })
      deepEqual(await read('openapi.json'), { ...control, servers })
      await sandbox.close()
    }`,
  )
  node('openapi.mjs')
}
