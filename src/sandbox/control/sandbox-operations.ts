import { isJsonObject } from '../../json/json-value.ts'
import { explainSignature } from '../../testing/explain-signature.ts'
import { wrongClientId } from '../delivery/send-attempt.ts'
import { invalid } from '../http-error.ts'
import type { Sandbox } from '../sandbox.ts'
import { USERS } from '../state/accounts.ts'
import type { SandboxFaults } from '../state/faults.ts'
import { toRequestJson } from '../state/recorded-requests.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { readLimit } from './delivery-operations.ts'
import type { Operations } from './operations.ts'
import { readGivenBody } from './read-exact-json.ts'

export function sandboxOperations({ requests, options }: SandboxState, sandbox: Sandbox) {
  const act = (action: () => void | Promise<void>) => ({
    async run() {
      await action()
      return {}
    },
  })
  return {
    'GET credentials': {
      run() {
        const { url, clientId, clientSecret, accountId, users, redirectUris } = sandbox
        const authorizeUrl = url + options.authorizePath
        return { url, authorizeUrl, clientId, clientSecret, accountId, users, redirectUris }
      },
    },
    'GET faults': { run: () => sandbox.faults() },
    'PUT faults': {
      fields: 'any',
      run({ fields }) {
        sandbox.setFaults(fields as SandboxFaults)
        return sandbox.faults()
      },
    },
    'GET requests': {
      run({ query: { limit } }) {
        const found = requests.list().reverse().slice(0, readLimit(limit))
        return { requests: found.map(toRequestJson) }
      },
    },
    'POST consent': {
      fields: ['url', 'user'],
      run({ fields: { url, user } }) {
        if (typeof url !== 'string') throw invalid('"url" must be the URL of the authorize page')
        const email = isJsonObject(user) ? user.email : user
        const found = USERS.find((one) => one.email === email)
        if (user !== undefined && !found) throw invalid('"user" must be the e-mail of a user of the sandbox')
        return { redirectTo: sandbox.consent(url, found) }
      },
    },
    'POST tokens/expire': act(sandbox.expireTokens),
    'POST tokens/revoke': act(sandbox.revokeTokens),
    'POST reset': act(sandbox.reset),
    'POST check-signature': {
      fields: ['body', 'bodyBase64', 'signature', 'clientId'],
      run({ fields }) {
        const { signature = '', clientId = sandbox.clientId } = fields
        const body = readGivenBody(fields)
        if (body === undefined) throw invalid('The body must have "body" or "bodyBase64"')
        if (typeof signature !== 'string') throw invalid('"signature" must be a string')
        if (typeof clientId !== 'string') throw invalid('"clientId" must be a string')
        const { clientSecret } = sandbox
        // If the request has its own client id, the sandbox's is one of the others.
        const otherClientIds = clientId === sandbox.clientId ? [wrongClientId(clientId)] : [sandbox.clientId]
        return explainSignature({ body, signature, clientId, clientSecret, otherClientIds })
      },
    },
  } satisfies Partial<Operations>
}
