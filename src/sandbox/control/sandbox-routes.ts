import type { Hono } from 'hono'
import { isJsonObject } from '../../json/json-value.ts'
import { explainSignature } from '../../testing/explain-signature.ts'
import type { SandboxCore } from '../delivery/sandbox-core.ts'
import { wrongClientId } from '../delivery/send-attempt.ts'
import { invalid } from '../http-error.ts'
import { readControlDocument, readServiceDocument } from '../openapi/read-documents.ts'
import type { Sandbox } from '../sandbox.ts'
import { USERS } from '../state/accounts.ts'
import type { SandboxFaults } from '../state/faults.ts'
import { toRequestJson } from '../state/recorded-requests.ts'
import type {
  ConsentJson,
  CredentialsJson,
  FaultsJson,
  RequestsJson,
  SignatureCheckJson,
  SignatureCheckRequestJson,
} from './control-json.ts'
import { readLimit } from './delivery-routes.ts'
import { readExactJson, readGivenBody } from './read-exact-json.ts'

const CHECK_FIELDS = [
  'body',
  'bodyBase64',
  'signature',
  'clientId',
] satisfies (keyof SignatureCheckRequestJson)[]

export function addSandboxRoutes(app: Hono, { requests, options }: SandboxCore, sandbox: Sandbox): void {
  app.get('/_sandbox/credentials', (c) => {
    const { url, clientId, clientSecret, accountId, users, redirectUris } = sandbox
    const authorizeUrl = url + options.authorizePath
    const credentials = { url, authorizeUrl, clientId, clientSecret, accountId, users, redirectUris }
    return c.json(credentials satisfies CredentialsJson)
  })
  app.get('/_sandbox/openapi.json', async (c) => c.json(await readControlDocument(sandbox.url)))
  app.get('/_sandbox/service-openapi.json', async (c) =>
    c.json(await readServiceDocument(sandbox.url, options)),
  )
  app.get('/_sandbox/faults', (c) => c.json(sandbox.faults() satisfies FaultsJson))
  app.put('/_sandbox/faults', async (c) => {
    sandbox.setFaults((await readExactJson(c.req)) as SandboxFaults)
    return c.json(sandbox.faults())
  })
  app.get('/_sandbox/requests', (c) => {
    const found = requests
      .list()
      .reverse()
      .slice(0, readLimit(c.req.query('limit')))
    return c.json({ requests: found.map(toRequestJson) } satisfies RequestsJson)
  })
  app.post('/_sandbox/consent', async (c) => {
    const { url, user } = await readExactJson(c.req, ['url', 'user'])
    if (typeof url !== 'string') throw invalid('"url" must be the URL of the authorize page')
    const email = isJsonObject(user) ? user.email : user
    const found = USERS.find((one) => one.email === email)
    if (user !== undefined && !found) throw invalid('"user" must be the e-mail of a user of the sandbox')
    return c.json({ redirectTo: sandbox.consent(url, found) } satisfies ConsentJson)
  })
  const actions = {
    'tokens/expire': sandbox.expireTokens,
    'tokens/revoke': sandbox.revokeTokens,
    reset: sandbox.reset,
  }
  for (const [path, act] of Object.entries(actions))
    app.post(`/_sandbox/${path}`, async (c) => {
      await act()
      return c.json({})
    })
  app.post('/_sandbox/check-signature', async (c) => {
    const request = await readExactJson(c.req, CHECK_FIELDS)
    const { signature = '', clientId = sandbox.clientId } = request
    const body = readGivenBody(request)
    if (body === undefined) throw invalid('The body must have "body" or "bodyBase64"')
    if (typeof signature !== 'string') throw invalid('"signature" must be a string')
    if (typeof clientId !== 'string') throw invalid('"clientId" must be a string')
    const { clientSecret } = sandbox
    // If the request has its own client id, the sandbox's is one of the others.
    const otherClientIds = clientId === sandbox.clientId ? [wrongClientId(clientId)] : [sandbox.clientId]
    const given = { body, signature, clientId, clientSecret, otherClientIds }
    return c.json(explainSignature(given) satisfies SignatureCheckJson)
  })
}
