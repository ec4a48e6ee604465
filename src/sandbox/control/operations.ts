import type { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ControlOperations } from './control-json.ts'
import { type ExactJson, readExactJson } from './read-exact-json.ts'

export interface Call {
  /** The id in the path; empty if there is none. */
  readonly id: string
  readonly query: Readonly<Record<string, string>>
  /** The members of the body. Their types are not checked. */
  readonly fields: ExactJson
  /** `?wait=false`: the response is what is there so far. */
  readonly isBegun: boolean
}

type FieldOf<Operation> = Operation extends { request?: infer Request } ? keyof Request : never

export interface Operation<Types extends { readonly response: object }> {
  /** The fields of the body; `any` if `run` checks them. Without it, a body is not read. */
  readonly fields?: readonly FieldOf<Types>[] | 'any'
  /** @default 200, or 202 with `?wait=false` */
  readonly status?: number
  run(call: Call): Types['response'] | Response | Promise<Types['response'] | Response>
}

/** The operations of the control API: what each takes, and what it does. */
export type Operations = { readonly [Name in keyof ControlOperations]: Operation<ControlOperations[Name]> }

export function addOperations(app: Hono, operations: Operations): void {
  for (const [name, { fields, status = 200, run }] of Object.entries<Operation<{ response: object }>>(
    operations,
  )) {
    const [method = '', path] = name.split(' ')
    app.on(method, `/_sandbox/${path}`, async (c) => {
      const query = c.req.query()
      const known = fields === 'any' ? undefined : fields
      const isBegun = method === 'POST' && query.wait === 'false'
      const result = await run({
        id: c.req.param('id') ?? '',
        query,
        fields: fields === undefined ? {} : await readExactJson(c.req, known),
        isBegun,
      })
      return result instanceof Response
        ? result
        : c.json(result, (isBegun ? 202 : status) as ContentfulStatusCode)
    })
  }
}
