import type { HonoRequest } from 'hono'
import { ParameterFault, readForm, readQuery } from './parameters.ts'

/** The fields of each grant in the form and in the query, as the specification states them. */
export const GRANTS: Readonly<Record<string, readonly [form: string, query: string]>> = {
  client_credentials: ['grant_type scope', ''],
  authorization_code: ['grant_type scope code redirect_uri', ''],
  refresh_token: ['grant_type', 'refresh_token'],
}

/** @throws ParameterFault if a grant lacks what the specification states, or has anything else */
export async function assertGrant(request: HonoRequest): Promise<void> {
  if (!/(?:^|[, ])application\/json(?:[;, ]|$)/i.test(request.header('accept') ?? ''))
    throw new ParameterFault('Accept must be application/json')
  const form = await readForm(request)
  const grantType = form.get('grant_type') ?? ''
  if (grantType === '') throw new ParameterFault('The form must have grant_type')
  // Any other is an unsupported grant.
  if (!Object.hasOwn(GRANTS, grantType)) return
  const [formFields = '', queryFields = ''] = GRANTS[grantType] ?? []
  assertFields('form', form, formFields)
  assertFields('query', readQuery(request), queryFields)
}

function assertFields(source: string, parameters: URLSearchParams, fields: string): void {
  const stated = fields.split(' ').filter(Boolean)
  const given = [...parameters].filter(([, value]) => value !== '').map(([name]) => name)
  const missing = stated.find((name) => !given.includes(name))
  if (missing) throw new ParameterFault(`The ${source} must have ${missing}`)
  const other = given.find((name) => !stated.includes(name))
  if (other !== undefined) throw new ParameterFault(`The ${source} must not have ${other}`)
}
