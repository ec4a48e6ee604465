import type { HonoRequest } from 'hono'
import { readQuery } from './parameters.ts'

/** The fields of each grant in the form, as the specification states them, and those in the query. */
const GRANTS: Readonly<
  Record<string, { readonly form: readonly string[]; readonly query: readonly string[] }>
> = {
  client_credentials: { form: ['grant_type', 'scope'], query: [] },
  authorization_code: { form: ['grant_type', 'scope', 'code', 'redirect_uri'], query: [] },
  refresh_token: { form: ['grant_type'], query: ['refresh_token'] },
}

/** What a grant has that the specification does not state, or lacks; `undefined` if it is as stated. */
export function findGrantFault(request: HonoRequest, form = new URLSearchParams()): string | undefined {
  if (!/(?:^|[, ])application\/json(?:[;, ]|$)/i.test(request.header('accept') ?? ''))
    return 'Accept must be application/json'
  const grantType = form.get('grant_type')
  if (grantType === null) return 'The form must have grant_type'
  const stated = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined
  if (!stated) return undefined
  return (
    findDifference('form', form, stated.form) ?? findDifference('query', readQuery(request), stated.query)
  )
}

function findDifference(
  source: string,
  parameters: URLSearchParams,
  stated: readonly string[],
): string | undefined {
  const given = [...parameters].filter(([, value]) => value !== '').map(([name]) => name)
  const missing = stated.find((name) => !given.includes(name))
  if (missing) return `The ${source} must have ${missing}`
  const other = given.find((name) => !stated.includes(name))
  return other === undefined ? undefined : `The ${source} must not have ${other}`
}
