import type { Context, Hono } from 'hono'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { notFound } from '../http-error.ts'
import type { Sandbox } from '../sandbox.ts'
import type { ResourceKind } from '../state/resources.ts'
import { RESOURCE_KINDS, type Resource } from '../state/resources.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from '../state/status-sequence.ts'
import type { StatusRequestJson, WalkRequestJson } from './control-json.ts'
import { sendDeliveries } from './delivery-routes.ts'
import { readExactJson } from './read-exact-json.ts'

const STATUS_FIELDS = ['status', 'changes', 'inline', 'faults'] satisfies (keyof StatusRequestJson)[]
const WALK_FIELDS = ['statuses', 'intervalMs', 'wait', 'inline', 'faults'] satisfies (keyof WalkRequestJson)[]

export function addResourceRoutes(app: Hono, core: SandboxCore, sandbox: Sandbox): void {
  for (const kind of RESOURCE_KINDS) addRoutes(app, kind, core, sandbox)
}

function addRoutes(
  app: Hono,
  kind: ResourceKind,
  { resources, deliveries }: SandboxCore,
  sandbox: Sandbox,
): void {
  const path = `/_sandbox/${kind}`
  const find = (c: Context): Resource => {
    const found = resources.find(kind, c.req.param('id') ?? '')
    if (!found) throw notFound(`There is no ${kind.slice(0, -1)} ${c.req.param('id')}`)
    return found
  }
  const findSequence = (c: Context): StatusSequence<string> => {
    const { sequence } = find(c)
    if (!sequence) throw notFound(`This was only triggered; make one whose status changes with POST ${kind}`)
    return sequence
  }
  const create = (data: never): StatusSequence<string> =>
    kind === 'payments' ? sandbox.createPayment(data) : sandbox.createInvoice(data)

  app.get(path, (c) => {
    const list = resources.list(kind).map(([id, { json }]) => toText(id, json))
    return sendText(c, `{"${kind}":[${list.join(',')}]}`)
  })
  app.post(path, async (c) => {
    const { data = {} } = await readExactJson(c.req, ['data'])
    const { id } = create(data as never)
    return sendText(c, toText(id, resources.find(kind, id)?.json ?? '{}'))
  })
  app.get(`${path}/:id`, (c) => sendText(c, toText(c.req.param('id'), find(c).json)))
  app.post(`${path}/:id/status`, async (c) => {
    const sequence = findSequence(c)
    const { status, changes, ...options } = await readExactJson(c.req, STATUS_FIELDS)
    return await sendDeliveries(c, deliveries, () =>
      sequence.setStatus(status as string, changes as never, options as NotifyOptions),
    )
  })
  app.post(`${path}/:id/walk`, async (c) => {
    const sequence = findSequence(c)
    const { statuses, ...options } = await readExactJson(c.req, WALK_FIELDS)
    return await sendDeliveries(c, deliveries, () =>
      sequence.walk(statuses as string[] | undefined, options as WalkOptions),
    )
  })
}

/** Text, because a number may have more digits than JavaScript can hold. */
function toText(id: string, json: string): string {
  return `{"id":${JSON.stringify(id)},"data":${json}}`
}

function sendText(c: Context, json: string): Response {
  return c.body(json, 200, { 'content-type': 'application/json' })
}
