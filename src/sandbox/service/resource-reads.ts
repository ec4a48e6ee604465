import type { Context, Hono } from 'hono'
import { readJson } from '../../json/exact-number.ts'
import type { JsonObject } from '../../json/json-value.ts'
import { invalid, notFound } from '../http-error.ts'
import { RESOURCE_KINDS, type Resource, toData } from '../state/resources.ts'
import type { SandboxState } from '../state/sandbox-state.ts'

const DAY_MS = 86_400_000
const DATE = /^\d{4}-\d\d-\d\d$/
/** Of a page that says how many there are. */
const PAGE_SIZE = 20

/** What clients can read below the path of the `resourcePath` option. */
export function addResourceReads(app: Hono, path: string, state: SandboxState): void {
  const { resources } = state
  app.get(`${path}/payments/report`, (c) => {
    const own = ownerOf(c, state)
    const isWanted = readReportQuery(c)
    const found = resources.list('payments').filter((payment) => isWanted(payment) && own(payment))
    return sendPage(c, found, toReportItem)
  })
  for (const kind of RESOURCE_KINDS) {
    app.get(`${path}/${kind}`, (c) => {
      const own = ownerOf(c, state)
      const found = resources.list(kind).filter(own)
      if (c.req.query('pageNumber') ?? c.req.query('pageSize')) return sendPage(c, found, ({ json }) => json)
      return send(c, `[${found.map(({ json }) => json).join(',')}]`)
    })
    app.get(`${path}/${kind}/:id`, (c) => {
      const own = ownerOf(c, state)
      const found = resources.find(kind, c.req.param('id'))
      if (found === undefined || !own(found)) throw notFound(`There is no ${kind.slice(0, -1)} with this id`)
      return send(c, found.json)
    })
  }
}

/** Whether the account of the token is a side of a resource. */
function ownerOf(c: Context, state: SandboxState): (resource: Resource) => boolean {
  const { accountId } = state.tokens.check(c.req.header('authorization'))
  return ({ sides }) => sides.includes(accountId)
}

/** Whether a payment was created within the dates of the query, both included, and has its status. */
function readReportQuery(c: Context): (payment: Resource) => boolean {
  const { startDate = '', endDate = '', status } = c.req.query()
  const [start, end] = [startDate, endDate].map((date) => (DATE.test(date) ? Date.parse(date) : Number.NaN))
  const days = ((end as number) - (start as number)) / DAY_MS
  if (!(days >= 0 && days <= 366))
    throw invalid('startDate and endDate must be dates such as 2026-11-01, at most a year apart')
  return ({ createdAt, json }) =>
    createdAt >= (start as number) &&
    createdAt < (end as number) + DAY_MS &&
    (status === undefined || toData(json).status === status)
}

/** A payment in the shape of the report, which has no payee. */
function toReportItem({ json, updatedAt }: Resource): string {
  const { payerAccountId, payeeAccountId: _, ...payment } = readJson(json) as JsonObject
  return JSON.stringify({
    ...payment,
    payer: { payerAccountId },
    timeUpdated: new Date(updatedAt).toISOString(),
  })
}

function sendPage(c: Context, found: readonly Resource[], toJson: (resource: Resource) => string): Response {
  const number = readNumber(c, 'pageNumber', 0, 0)
  const size = readNumber(c, 'pageSize', 1, PAGE_SIZE)
  const totalPages = Math.ceil(found.length / size)
  const content = found.slice(number * size, (number + 1) * size).map(toJson)
  const last = number + 1 >= totalPages
  return send(
    c,
    `{"content":[${content.join(',')}],"totalPages":${totalPages},"number":${number},"last":${last}}`,
  )
}

function readNumber(c: Context, name: string, least: number, fallback: number): number {
  const text = c.req.query(name) ?? String(fallback)
  if (/^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= 1_000) return Number(text)
  throw invalid(`${name} must be a number from ${least} to 1000`)
}

function send(c: Context, json: string): Response {
  return c.body(json, 200, { 'content-type': 'application/json' })
}
