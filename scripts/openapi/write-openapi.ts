// Writes the OpenAPI documents, which are made from the schemas and the types of the code. A test fails until they
// are written again after a change.

import { readFileSync, writeFileSync } from 'node:fs'
import { CONTROL_MODULES, createControlDocument } from './control-document.ts'
import { createServiceDocument, SERVICE_MODULES } from './service-document.ts'
import { openProgram } from './type-schemas.ts'

const root = new URL('../..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

/** The documents by file. */
export function createDocuments(): Record<string, object> {
  const program = openProgram([...SERVICE_MODULES, ...CONTROL_MODULES])
  return {
    'src/sandbox/openapi/service-openapi.json': createServiceDocument(program, version),
    'src/sandbox/openapi/control-openapi.json': createControlDocument(program, version),
  }
}

if (import.meta.main) {
  for (const [file, document] of Object.entries(createDocuments()))
    writeFileSync(new URL(file, root), `${JSON.stringify(document, null, 2)}\n`)
}
