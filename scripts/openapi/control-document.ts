// The document of the sandbox's control API, below /_sandbox/.

import type ts from 'typescript'
import type { ControlName } from '../../src/sandbox/control/control-call.ts'
import { DELIVERY_STATES } from '../../src/sandbox/state/delivery.ts'
import type { ResourceKind } from '../../src/sandbox/state/resources.ts'
import { json, ref, toPascalCase } from './references.ts'
import { TypeSchemas } from './type-schemas.ts'

export const CONTROL_MODULES = [
  'src/sandbox/control/control-json.ts',
  'src/sandbox/state/accounts.ts',
  'src/sandbox/state/configurations.ts',
  'src/sandbox/state/faults.ts',
  'src/testing/check/check-report.ts',
]

interface Operation {
  readonly summary: string
  readonly description?: string
  /** The type of the body, and whether there may be none. */
  readonly request?: string
  readonly optional?: boolean
  /** The names of the parameters in the query. */
  readonly query?: readonly (keyof typeof QUERY)[]
  /** The type of the response. @default an empty object */
  readonly response?: string
  readonly status?: number
}

const QUERY = {
  wait: {
    description: '`false` responds at once, with 202.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  kind: { description: 'Only those of this kind.', schema: { type: 'string' } },
  state: {
    description: 'Only those in this state.',
    schema: { type: 'string', enum: DELIVERY_STATES },
  },
  search: { description: 'Only those whose body contains this text.', schema: { type: 'string' } },
  limit: { description: 'The largest number of entries.', schema: { type: 'integer', minimum: 1 } },
  after: { description: 'Only those that are older than this delivery.', schema: { type: 'string' } },
} as const

const SENDS = { query: ['wait'], response: 'DeliveriesJson' } as const

const OPERATIONS: Readonly<Record<ControlName | 'GET stream', Operation>> = {
  'GET credentials': {
    summary: 'The client id, the client secret and the users',
    response: 'CredentialsJson',
  },
  'POST trigger': { summary: 'Trigger an event', request: 'TriggerRequestJson', ...SENDS },
  ...resourceOperations('payments', 'payment', 'PaymentsJson'),
  ...resourceOperations('invoices', 'invoice', 'InvoicesJson'),
  'GET configurations': { summary: 'The configurations of all accounts', response: 'ConfigurationsJson' },
  'POST configurations': {
    summary: 'Create a configuration',
    request: 'ConfigurationRequestJson',
    response: 'ConfigurationJson',
    status: 201,
  },
  'PATCH configurations/:id': {
    summary: 'Change a configuration',
    request: 'ConfigurationUpdateJson',
    response: 'ConfigurationJson',
  },
  'DELETE configurations/:id': { summary: 'Make a configuration Inactive', response: 'ConfigurationJson' },
  'GET deliveries': {
    summary: 'The deliveries, newest first',
    query: ['kind', 'state', 'search', 'limit', 'after'],
    response: 'DeliveryListJson',
  },
  'DELETE deliveries': { summary: 'Delete the settled deliveries' },
  'GET deliveries/:id': { summary: 'A delivery with its bodies', response: 'DeliveryDetailJson' },
  'POST deliveries/:id/redeliver': {
    summary: 'Sign a notification again and send it',
    request: 'RedeliverRequestJson',
    optional: true,
    ...SENDS,
  },
  'GET faults': { summary: 'The current faults', response: 'FaultsJson' },
  'PUT faults': {
    summary: 'Set the faults; none removes them',
    request: 'FaultsJson',
    optional: true,
    response: 'FaultsJson',
  },
  'GET requests': {
    summary: 'The requests of clients, newest first, with their secrets masked',
    query: ['limit'],
    response: 'RequestsJson',
  },
  'POST consent': {
    summary: 'Log in and consent, like a user on the authorize page',
    request: 'ConsentRequestJson',
    response: 'ConsentJson',
  },
  'POST tokens/expire': { summary: 'Expire all access tokens' },
  'POST tokens/revoke': { summary: 'Revoke all tokens' },
  'POST reset': { summary: 'Restore the initial state' },
  'POST check-signature': {
    summary: 'Explain why a signature does not verify',
    request: 'SignatureCheckRequestJson',
    response: 'SignatureCheckJson',
  },
  'POST checks': {
    summary: 'Check a receiver in any language',
    description: 'Sends it what the service sends, and forgeries. The last 20 checks are kept.',
    request: 'CheckRequestJson',
    query: ['wait'],
    response: 'CheckJson',
  },
  'GET checks/:id': { summary: 'The results of a check so far', response: 'CheckJson' },
  'DELETE checks/:id': { summary: 'Stop a check' },
  'GET stream': {
    summary: 'Follow what happens',
    description:
      'Server-sent events. `event` is the name of one of the properties of the schema, `data` is its JSON. With `Last-Event-ID`, the stream goes on after that event.',
    response: 'StreamEvents',
  },
  'GET openapi.json': { summary: 'This document' },
  'GET service-openapi.json': { summary: 'The document of the service' },
}

function resourceOperations<Kind extends ResourceKind>(path: Kind, name: string, list: string) {
  return {
    [`GET ${path}`]: { summary: `The ${path}, newest first`, response: list },
    [`POST ${path}`]: {
      summary: `Create the ${name} without a notification`,
      request: 'ResourceRequestJson',
      optional: true,
      response: 'ResourceJson',
    },
    [`GET ${path}/:id`]: { summary: `Read one ${name}`, response: 'ResourceJson' },
    [`POST ${path}/:id/status`]: {
      summary: `Change the status of one ${name}, and notify both sides`,
      request: 'StatusRequestJson',
      ...SENDS,
    },
    [`POST ${path}/:id/walk`]: {
      summary: `Take one ${name} through several statuses`,
      request: 'WalkRequestJson',
      optional: true,
      ...SENDS,
    },
  } as Record<Extract<ControlName, `${string} ${Kind}${'' | `/${string}`}`>, Operation>
}

/** @param version of the package */
export function createControlDocument(program: ts.Program, version: string) {
  const types = new TypeSchemas(program, CONTROL_MODULES)
  const paths: Record<string, Record<string, object>> = {}
  for (const [call, operation] of Object.entries(OPERATIONS)) {
    const [method = '', name = ''] = call.split(' ')
    const path = `/_sandbox/${name.replace(':id', '{id}')}`
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(call, operation, types) }
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

function toOperation(
  call: string,
  { request, optional, query = [], response, status = 200, ...texts }: Operation,
  types: TypeSchemas,
) {
  const isStream = call === 'GET stream'
  const schema = response === undefined ? { type: 'object' } : types.of(response)
  const content = { [isStream ? 'text/event-stream' : 'application/json']: { schema } }
  const refs = [...(call.includes(':id') ? ['Id'] : []), ...query.map(toPascalCase)]
  return {
    operationId: toOperationId(call),
    ...texts,
    ...(refs.length > 0 && { parameters: refs.map((name) => ref(name, 'parameters')) }),
    ...(request !== undefined && {
      requestBody: {
        required: !optional,
        content: { 'application/json': { schema: types.of(request) } },
      },
    }),
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
