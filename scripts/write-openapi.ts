// Writes the OpenAPI documents, which are made from the schemas and the types of the code, and the types that
// openapi-typescript makes from that of the service. Tests fail until they are written again after a change.

import { readFileSync, writeFileSync } from 'node:fs'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { CONTROL_MODULES, createControlDocument } from './openapi/control-document.ts'
import { createServiceDocument, SERVICE_MODULES } from './openapi/service-document.ts'
import { openProgram } from './openapi/type-schemas.ts'

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

/** The documents by file. */
export function createDocuments() {
  const program = openProgram([...SERVICE_MODULES, ...CONTROL_MODULES])
  return {
    'src/sandbox/openapi/service-openapi.json': createServiceDocument(program, version),
    'src/sandbox/openapi/control-openapi.json': createControlDocument(program, version),
  }
}

/** The types of a generated client. */
export async function createClientTypes(document: object): Promise<string> {
  return astToString(await openapiTypescript(document as never))
}

if (import.meta.main) {
  const documents = createDocuments()
  for (const [file, document] of Object.entries(documents))
    writeFileSync(new URL(file, root), `${JSON.stringify(document, null, 2)}\n`)
  const types = await createClientTypes(documents['src/sandbox/openapi/service-openapi.json'])
  writeFileSync(new URL('test/openapi/generated/service-api.ts', root), types)
}
