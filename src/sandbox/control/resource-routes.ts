import type { Context, Hono } from 'hono'
import type { NotifyOptions, Sandbox, StatusSequence, WalkOptions } from '../sandbox.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { type Resource, SORTS, type Sort } from '../state/resources.ts'
import { notFound } from './control-error.ts'
import { readExactJson } from './read-exact-json.ts'
import { answerDeliveries } from './settled-answer.ts'

const STATUS_FIELDS = ['status', 'changes', 'inline', 'faults']
const WALK_FIELDS = ['statuses', 'intervalMs', 'wait', 'inline', 'faults']

/** `payments` and `invoices`: create, list, read, change the status, walk. */
export function addResourceRoutes(app: Hono, core: SandboxCore, sandbox: Sandbox): void {
  for (const sort of SORTS) addRoutes(app, sort, core, sandbox)
}

function addRoutes(app: Hono, sort: Sort, { resources, dispatcher }: SandboxCore, sandbox: Sandbox): void {
  const path = `/_sandbox/${sort}`
  const find = (c: Context): Resource => {
    const found = resources.find(sort, c.req.param('id') ?? '')
    if (!found) throw notFound(`There is no ${sort.slice(0, -1)} ${c.req.param('id')}`)
    return found
  }
  const findSequence = (c: Context): StatusSequence<string> => {
    const { sequence } = find(c)
    if (!sequence) throw notFound(`This was only triggered; make one whose status changes with POST ${sort}`)
    return sequence
  }
  const create = (data: never): StatusSequence<string> =>
    sort === 'payments' ? sandbox.createPayment(data) : sandbox.createInvoice(data)

  app.get(path, (c) => {
    const list = resources.list(sort).map(([id, { json }]) => toText(id, json))
    return answerText(c, `{"${sort}":[${list.join(',')}]}`)
  })
  app.post(path, async (c) => {
    const { data = {} } = await readExactJson(c.req, ['data'])
    const { id } = create(data as never)
    return answerText(c, toText(id, resources.find(sort, id)?.json ?? '{}'))
  })
  app.get(`${path}/:id`, (c) => answerText(c, toText(c.req.param('id'), find(c).json)))
  app.post(`${path}/:id/status`, async (c) => {
    const sequence = findSequence(c)
    const { status, changes, ...options } = await readExactJson(c.req, STATUS_FIELDS)
    return await answerDeliveries(c, dispatcher, () =>
      sequence.setStatus(status as string, changes as never, options as NotifyOptions),
    )
  })
  app.post(`${path}/:id/walk`, async (c) => {
    const sequence = findSequence(c)
    const { statuses, ...options } = await readExactJson(c.req, WALK_FIELDS)
    return await answerDeliveries(c, dispatcher, () =>
      sequence.walk(statuses as string[] | undefined, options as WalkOptions),
    )
  })
}

/** Text, because a number may have more digits than JavaScript can hold. */
function toText(id: string, json: string): string {
  return `{"id":${JSON.stringify(id)},"data":${json}}`
}

function answerText(c: Context, json: string): Response {
  return c.body(json, 200, { 'content-type': 'application/json' })
}
