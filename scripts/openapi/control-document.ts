// The document of the sandbox's control API, below /_sandbox/.

import type ts from 'typescript'
import { DELIVERY_STATES } from '../../src/sandbox/state/delivery.ts'
import { json, ref, toPascalCase } from './references.ts'
import { TypeSchemas } from './type-schemas.ts'

export const CONTROL_MODULES = [
  'src/sandbox/control/control-json.ts',
  'src/sandbox/state/accounts.ts',
  'src/sandbox/state/configurations.ts',
  'src/sandbox/state/faults.ts',
  'src/testing/check/check-report.ts',
  'src/testing/explain-signature.ts',
]

const QUERY = {
  wait: {
    description: '`false` responds at once, with 202.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  kind: { description: 'Only those of this kind.', schema: { type: 'string' } },
  state: { description: 'Only those in this state.', schema: { type: 'string', enum: DELIVERY_STATES } },
  search: {
    description: 'Only those whose body contains this text, or that have this subject.',
    schema: { type: 'string' },
  },
  limit: { description: 'The largest number of entries.', schema: { type: 'integer', minimum: 1 } },
  after: { description: 'Only those that are older than this delivery.', schema: { type: 'string' } },
} as const

/** @param version of the package */
export function createControlDocument(program: ts.Program, version: string) {
  const types = new TypeSchemas(program, CONTROL_MODULES)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of types.operationsOf('ControlRoutes')) {
    const [method = '', name = ''] = operation.name.split(' ')
    const path = `/_sandbox/${name.replace(':id', '{id}')}`
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(operation) }
  }
  const error = json(types.of('ErrorJson'))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the payhook sandbox',
      version,
      description:
        'What a test can do with a sandbox, beside calling the service that it simulates. It needs no token; a sandbox listens on this machine only.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{sandboxUrl}',
        description: 'A running sandbox',
        variables: { sandboxUrl: { default: 'http://127.0.0.1:4949' } },
      },
    ],
    security: [],
    paths,
    components: {
      schemas: types.components,
      parameters: {
        Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        ...Object.fromEntries(
          Object.entries(QUERY).map(([name, query]) => [toPascalCase(name), { name, in: 'query', ...query }]),
        ),
      },
      responses: {
        Rejected: {
          description:
            '400: the request is invalid. 403: it is from a page of another origin, or is a notification. 404: there is none with this id. 413: the body is larger than 1 MiB. 421: the Host is not a name of this sandbox',
          ...error,
        },
        Failed: { description: 'The state file cannot be written', ...error },
      },
    },
  }
}

function toOperation({
  name,
  query,
  request,
  optional,
  response: schema,
  status,
  ...texts
}: ReturnType<TypeSchemas['operationsOf']>[number]) {
  const content = { [name === 'GET stream' ? 'text/event-stream' : 'application/json']: { schema } }
  const refs = [...(name.includes(':id') ? ['Id'] : []), ...query.map(toPascalCase)]
  return {
    operationId: toOperationId(name),
    ...texts,
    ...(refs.length > 0 && { parameters: refs.map((name) => ref(name, 'parameters')) }),
    ...(request && { requestBody: { required: !optional, ...json(request) } }),
    responses: {
      [status]: { description: 'Done', content },
      ...(query.includes('wait') && { 202: { description: 'Begun: what is there so far', content } }),
      '4XX': ref('Rejected', 'responses'),
      500: ref('Failed', 'responses'),
    },
  }
}

/** `POST deliveries/:id/redeliver` is `postDeliveriesIdRedeliver`. */
function toOperationId(call: string): string {
  const [method = '', ...rest] = call.split(/\W+/)
  return method.toLowerCase() + rest.map(toPascalCase).join('')
}
